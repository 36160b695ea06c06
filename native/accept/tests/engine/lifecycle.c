/* Start, several loops, addresses, a port in use, wrong words, and a stop that loses nobody. */
#include "../process.h"
#include "fixture.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_MS = 8000, WAITING = 40 };

/* The handler holds the loop up at its first request, so that the others are in the accept queue when the stop comes. */
static atomic_bool holding, release_hold;

static void answer_held(void *context, const char *request, size_t length, struct accept_reply *reply) {
  atomic_store(&holding, true);
  while (!atomic_load(&release_hold))
    sleep_ms(1);
  fixed.answer(context, request, length, reply);
}

static void a_stop_answers_who_has_connected(const struct path *path) {
  static const struct accept_handler held = {.answer = answer_held};
  struct accept_options options = path_options(path);
  struct served served;
  int clients[WAITING + 1], right = 0;
  char got[64];
  atomic_store(&holding, false);
  atomic_store(&release_hold, false);
  CHECK(served_start(&served, &options, &held));
  uint16_t port = accept_engine_port(served.engine);
  int half = client_connect("127.0.0.1", port, 0);
  client_send(half, REQUEST, 5);
  while (!accept_engine_counters(served.engine).accepted)
    sleep_ms(1);
  for (int i = 0; i <= WAITING; i++) {
    clients[i] = client_connect("127.0.0.1", port, 0);
    client_send(clients[i], REQUEST, sizeof REQUEST - 1);
    while (i == 0 && !atomic_load(&holding))
      sleep_ms(1);
  }
  accept_engine_stop(served.engine);
  atomic_store(&release_hold, true);
  sleep_ms(50);
  client_send(half, REQUEST + 5, sizeof REQUEST - 1 - 5);
  right += client_read(half, got, sizeof got, PATIENCE_MS) == sizeof REPLY - 1;
  for (int i = 0; i <= WAITING; i++) {
    right += client_read(clients[i], got, sizeof got, PATIENCE_MS) == sizeof REPLY - 1;
    close(clients[i]);
  }
  close(half);
  struct accept_counters counters = served_stop(&served);
  CHECK_EQUAL(right, WAITING + 2);
  CHECK_EQUAL(counters.replied, WAITING + 2);
  CHECK_EQUAL(client_connect("127.0.0.1", port, 0), -1);
}

/* Who never says anything does not hold a stop up for ever. */
static void a_stop_does_not_wait_for_the_silent(const struct path *path) {
  struct accept_options options = path_options(path);
  struct served served;
  options.timeout_ms = 60000;
  options.drain_ms = 100;
  CHECK(served_start(&served, &options, &fixed));
  int fd = client_connect("127.0.0.1", accept_engine_port(served.engine), 0);
  while (!accept_engine_counters(served.engine).accepted)
    sleep_ms(1);
  uint64_t begin = now_ms();
  struct accept_counters counters = served_stop(&served);
  close(fd);
  CHECK(now_ms() - begin < PATIENCE_MS);
  CHECK_EQUAL(counters.timed_out, 1);
}

static void loops_share_a_port(const struct path *path) {
  struct accept_options options = path_options(path);
  struct served served;
  int right = 0;
  options.cores = 3;
  CHECK(served_start(&served, &options, &echo));
  for (int i = 0; i < 90; i++)
    right += client_ask(accept_engine_port(served.engine), REQUEST, REQUEST, PATIENCE_MS);
  struct accept_counters counters = served_stop(&served);
  CHECK_EQUAL(right, 90);
  CHECK_EQUAL(counters.replied, 90);
}

static void serves_ipv6(const struct path *path) {
  struct accept_options options = path_options(path);
  struct served served;
  char got[64];
  struct sockaddr_in6 own = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  int trial = socket(AF_INET6, SOCK_STREAM, 0);
  bool here = trial >= 0 && bind(trial, (struct sockaddr *)&own, sizeof own) == 0;
  if (trial >= 0)
    close(trial);
  if (!here) {
    printf("# no IPv6 on this machine\n");
    return;
  }
  options.address = "::1";
  CHECK(served_start(&served, &options, &fixed));
  int fd = client_connect("::1", accept_engine_port(served.engine), 0);
  client_send(fd, REQUEST, sizeof REQUEST - 1);
  long length = client_read(fd, got, sizeof got, PATIENCE_MS);
  close(fd);
  CHECK_EQUAL(served_stop(&served).replied, 1);
  CHECK_EQUAL(length, sizeof REPLY - 1);
}

/* Exactly one line, that has `word` in it. */
static bool one_sentence(const char *text, const char *word) {
  const char *end = strchr(text, '\n');
  return end && end[1] == '\0' && strstr(text, word);
}

static void a_port_in_use_is_one_sentence(void) {
  static struct process first, second;
  static const char *const none[] = {NULL};
  char port[8];
  CHECK(process_serve(&first, "accept-engine", none, 0));
  snprintf(port, sizeof port, "%u", first.port);
  const char *const arguments[] = {"--port", port, NULL};
  CHECK(process_start(&second, "accept-engine", arguments, 0));
  int code = process_finish(&second);
  CHECK_EQUAL(process_stop(&first), 0);
  CHECK_EQUAL(code, 1);
  CHECK(one_sentence(second.errors_text, "in use"));
  CHECK(strstr(second.errors_text, port));
}

static void wrong_words_are_one_sentence(void) {
  static const char *const wrong[][3] = {
      {"--port", "65536", "65536"},   {"--port", "x", "'x'"},         {"--set", "warp=on", "warp=on"},
      {"--set", "fuse-fin", "fuse"},  {"--without", "luck", "'luck'"}, {"--configuration", "seven", "'seven'"},
      {"--cores", "-1", "'-1'"},      {"--table", "", "''"},          {"--port=0", "extra", "'extra'"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    static struct process server;
    const char *const arguments[] = {wrong[i][0], wrong[i][1], NULL};
    CHECK(process_start(&server, "accept-engine", arguments, 0));
    int code = process_finish(&server);
    if (code != 2 || !one_sentence(server.errors_text, wrong[i][2]))
      check_fail(__FILE__, __LINE__, "%s %s: exit code %d, '%s'", wrong[i][0], wrong[i][1], code, server.errors_text);
  }
}

static void wrong_options_are_one_sentence(void) {
  char fault[256] = "";
  struct accept_options options = accept_options_default();
  options.address = "nowhere";
  CHECK(!accept_engine_open(&options, &fixed, fault, sizeof fault));
  CHECK(strstr(fault, "nowhere"));
  options = accept_options_default();
  options.cores = 0;
  CHECK(!accept_engine_open(&options, &fixed, fault, sizeof fault));
  CHECK(strstr(fault, "cores"));
}

static void the_program_reports_one_line(void) {
  static struct process server;
  static const char *const none[] = {NULL};
  CHECK(process_serve(&server, "accept-engine", none, 0));
  bool right = client_ask(server.port, REQUEST, REPLY, PATIENCE_MS);
  CHECK_EQUAL(process_stop(&server), 0);
  CHECK(right);
  CHECK(one_sentence(server.output_text, "\"path\":\""));
  CHECK_EQUAL(process_number(&server, "accepted"), 1);
  CHECK_EQUAL(process_number(&server, "replied"), 1);
  CHECK(process_number(&server, "system_calls") > process_number(&server, "enters"));
}

int main(void) {
  check_each_path("a stop answers who has connected", a_stop_answers_who_has_connected);
  check_each_path("a stop does not wait for the silent", a_stop_does_not_wait_for_the_silent);
  check_each_path("loops share a port", loops_share_a_port);
  check_each_path("serves IPv6", serves_ipv6);
  check_run("a port in use is one sentence", a_port_in_use_is_one_sentence);
  check_run("wrong words are one sentence", wrong_words_are_one_sentence);
  check_run("wrong options are one sentence", wrong_options_are_one_sentence);
  check_run("the program reports one line", the_program_reports_one_line);
  return check_finish();
}
