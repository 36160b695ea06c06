/* Silent and slow clients: they are given up at an absolute deadline, others are served meanwhile, and they cannot hold every place. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TIMEOUT_MS = 400, PATIENCE_MS = 8000, SILENT = 100 };

static bool closed(int fd) {
  char byte;
  ssize_t received = recv(fd, &byte, 1, MSG_DONTWAIT);
  return received == 0 || (received < 0 && client_read(fd, &byte, 1, 0) == -1);
}

static void silent_clients_time_out_while_others_are_served(const struct path *path) {
  struct accept_options options = path_options(path);
  struct served served;
  int silent[SILENT], served_meanwhile = 0, gone = 0;
  options.timeout_ms = TIMEOUT_MS;
  CHECK(served_start(&served, &options, &fixed));
  uint16_t port = accept_engine_port(served.engine);
  uint64_t begin = now_ms();
  for (int i = 0; i < SILENT; i++)
    silent[i] = client_connect("127.0.0.1", port, 0);
  while (now_ms() - begin < TIMEOUT_MS / 2)
    served_meanwhile += client_ask(port, REQUEST, REPLY, PATIENCE_MS);
  uint64_t timed_out_early = accept_engine_counters(served.engine).timed_out;
  while (accept_engine_counters(served.engine).timed_out < SILENT && now_ms() - begin < PATIENCE_MS)
    sleep_ms(10);
  for (int i = 0; i < SILENT; i++) {
    char byte;
    gone += client_read(silent[i], &byte, 1, 1000) == 0;
    close(silent[i]);
  }
  bool alive = client_ask(port, REQUEST, REPLY, PATIENCE_MS);
  struct accept_counters counters = served_stop(&served);
  CHECK(served_meanwhile > 3);
  CHECK_EQUAL(timed_out_early, 0);
  CHECK_EQUAL(gone, SILENT);
  CHECK(alive);
  CHECK_EQUAL(counters.timed_out, SILENT);
}

/* A byte now and then must not put the deadline off. */
static void the_deadline_is_absolute(const struct path *path) {
  struct accept_options options = path_options(path);
  struct served served;
  options.timeout_ms = TIMEOUT_MS;
  CHECK(served_start(&served, &options, &echo));
  uint64_t begin = now_ms(), end = begin + PATIENCE_MS;
  int fd = client_connect("127.0.0.1", accept_engine_port(served.engine), 0);
  while (now_ms() < end && client_send(fd, "x", 1) && !closed(fd))
    sleep_ms(20);
  uint64_t lasted = now_ms() - begin;
  close(fd);
  struct accept_counters counters = served_stop(&served);
  CHECK_EQUAL(counters.timed_out, 1);
  CHECK(lasted >= TIMEOUT_MS / 2 && lasted < PATIENCE_MS);
}

static void answer_much(void *context, const char *request, size_t length, struct accept_reply *reply) {
  (void)context, (void)request, (void)length;
  enum { MUCH = 16 << 20 };
  if (!accept_reply_reserve(reply, MUCH))
    return;
  memset(reply->bytes, 'x', MUCH);
  reply->length = MUCH;
}

static void a_client_that_does_not_read_times_out(const struct path *path) {
  static const struct accept_handler much = {.answer = answer_much};
  struct accept_options options = path_options(path);
  struct served served;
  options.timeout_ms = TIMEOUT_MS;
  CHECK(served_start(&served, &options, &much));
  int fd = client_connect("127.0.0.1", accept_engine_port(served.engine), 8192);
  client_send(fd, REQUEST, sizeof REQUEST - 1);
  uint64_t end = now_ms() + PATIENCE_MS;
  while (!accept_engine_counters(served.engine).timed_out && now_ms() < end)
    sleep_ms(10);
  close(fd);
  struct accept_counters counters = served_stop(&served);
  CHECK_EQUAL(counters.timed_out, 1);
  CHECK_EQUAL(counters.replied, 0);
}

/* The same client after its reply: sends for ever what nobody reads. */
static void a_client_that_never_hangs_up_is_not_waited_for(const struct path *path) {
  struct accept_options options = path_options(path);
  struct served served;
  char got[64], garbage[256];
  options.timeout_ms = TIMEOUT_MS;
  CHECK(served_start(&served, &options, &fixed));
  int fd = client_connect("127.0.0.1", accept_engine_port(served.engine), 0);
  client_send(fd, REQUEST "garbage", sizeof REQUEST + 6);
  long length = client_read(fd, got, sizeof got, PATIENCE_MS);
  memset(garbage, 'x', sizeof garbage);
  uint64_t end = now_ms() + PATIENCE_MS;
  while (!accept_engine_counters(served.engine).timed_out && now_ms() < end) {
    client_send(fd, garbage, sizeof garbage);
    sleep_ms(5);
  }
  close(fd);
  struct accept_counters counters = served_stop(&served);
  CHECK_EQUAL(length, sizeof REPLY - 1);
  CHECK_EQUAL(counters.timed_out, 1);
}

/* More silent clients than there are places: the oldest make room long before their time is up. */
static void silent_clients_cannot_hold_every_place(const struct path *path) {
  struct accept_options options = path_options(path);
  struct served served;
  int silent[60], right = 0;
  options.connections_limit = 40;
  options.timeout_ms = 60000;
  CHECK(served_start(&served, &options, &fixed));
  uint16_t port = accept_engine_port(served.engine);
  for (int i = 0; i < 60; i++)
    silent[i] = client_connect("127.0.0.1", port, 0);
  for (int i = 0; i < 20; i++)
    right += client_ask(port, REQUEST, REPLY, PATIENCE_MS);
  for (int i = 0; i < 60; i++)
    close(silent[i]);
  struct accept_counters counters = served_stop(&served);
  CHECK_EQUAL(right, 20);
  CHECK_EQUAL(counters.timed_out, 0);
  CHECK(counters.refused >= 20);
}

int main(void) {
  check_each_path("silent clients time out while others are served", silent_clients_time_out_while_others_are_served);
  check_each_path("the deadline is absolute", the_deadline_is_absolute);
  check_each_path("a client that does not read times out", a_client_that_does_not_read_times_out);
  check_each_path("a client that never hangs up is not waited for", a_client_that_never_hangs_up_is_not_waited_for);
  check_each_path("silent clients cannot hold every place", silent_clients_cannot_hold_every_place);
  return check_finish();
}
