/* What a request and a reply may look like: split, followed by garbage, too long, cut off; tiny, empty, larger than any buffer. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HUGE_REPLY_BYTES = 24 << 20, PATIENCE_MS = 8000 };

static bool start(struct served *served, const struct path *path, const struct accept_handler *handler) {
  struct accept_options options = path_options(path);
  return served_start(served, &options, handler);
}

static void answers_a_whole_request(const struct path *path) {
  struct served served;
  CHECK(start(&served, path, &fixed));
  CHECK(strstr(accept_engine_path(served.engine), path->says));
  bool right = client_ask(accept_engine_port(served.engine), REQUEST, REPLY, PATIENCE_MS);
  struct accept_counters counters = served_stop(&served);
  CHECK(right);
  CHECK_EQUAL(counters.accepted, 1);
  CHECK_EQUAL(counters.replied, 1);
}

/* Nothing may come before the last byte has been sent. */
static void waits_for_a_split_request(const struct path *path) {
  static const char text[] = "GET /split HTTP/1.0\r\n\r\n";
  char got[256], early;
  bool silent_until_whole = true;
  struct served served;
  CHECK(start(&served, path, &echo));
  int fd = client_connect("127.0.0.1", accept_engine_port(served.engine), 0);
  for (size_t i = 0; i < sizeof text - 1; i++) {
    silent_until_whole &= recv(fd, &early, 1, MSG_DONTWAIT | MSG_PEEK) < 0;
    client_send(fd, text + i, 1);
    sleep_ms(4);
  }
  long length = client_read(fd, got, sizeof got, PATIENCE_MS);
  close(fd);
  struct accept_counters counters = served_stop(&served);
  CHECK(silent_until_whole);
  CHECK_EQUAL(length, sizeof text - 1);
  CHECK(!memcmp(got, text, (size_t)length));
  CHECK_EQUAL(counters.replied, 1);
}

/* Closing with unread input resets the connection, and a reset destroys a reply that has not been read yet. */
static void garbage_after_the_request_does_not_reset_the_reply(const struct path *path) {
  static char text[2 << 20];
  char got[256];
  struct served served;
  memset(text, 'x', sizeof text);
  memcpy(text, REQUEST, sizeof REQUEST - 1);
  CHECK(start(&served, path, &fixed));
  for (int round = 0; round < 5; round++) {
    int fd = client_connect("127.0.0.1", accept_engine_port(served.engine), 0);
    bool sent = client_send(fd, text, round == 0 ? 40 : sizeof text);
    sleep_ms(20);
    long length = client_read(fd, got, sizeof got, PATIENCE_MS);
    close(fd);
    if (!sent || length != sizeof REPLY - 1 || memcmp(got, REPLY, sizeof REPLY - 1))
      check_fail(__FILE__, __LINE__, "round %d: sent %d, read %ld", round, sent, length);
  }
  CHECK_EQUAL(served_stop(&served).replied, 5);
}

static void refuses_a_request_beyond_the_limit(const struct path *path) {
  char text[8192], got[64];
  struct served served;
  memset(text, 'x', sizeof text);
  CHECK(start(&served, path, &echo));
  int fd = client_connect("127.0.0.1", accept_engine_port(served.engine), 0);
  client_send(fd, text, sizeof text);
  long length = client_read(fd, got, sizeof got, PATIENCE_MS);
  close(fd);
  bool alive = client_ask(accept_engine_port(served.engine), REQUEST, REQUEST, PATIENCE_MS);
  struct accept_counters counters = served_stop(&served);
  CHECK(length == 0 || length == -1);
  CHECK(alive);
  CHECK_EQUAL(counters.refused, 1);
  CHECK_EQUAL(counters.replied, 1);
}

/* A request of exactly the limit is still one. */
static void takes_a_request_of_exactly_the_limit(const struct path *path) {
  char text[4096], got[4096];
  struct served served;
  memset(text, 'x', sizeof text);
  memcpy(text + sizeof text - 4, "\r\n\r\n", 4);
  CHECK(start(&served, path, &echo));
  int fd = client_connect("127.0.0.1", accept_engine_port(served.engine), 0);
  client_send(fd, text, sizeof text);
  shutdown(fd, SHUT_WR);
  long length = client_read(fd, got, sizeof got, PATIENCE_MS);
  close(fd);
  CHECK_EQUAL(served_stop(&served).replied, 1);
  CHECK_EQUAL(length, sizeof text);
  CHECK(!memcmp(got, text, sizeof text));
}

static void a_client_that_leaves_is_forgotten(const struct path *path) {
  char got[64];
  struct served served;
  CHECK(start(&served, path, &echo));
  int fd = client_connect("127.0.0.1", accept_engine_port(served.engine), 0);
  client_send(fd, "GET", 3);
  shutdown(fd, SHUT_WR);
  long length = client_read(fd, got, sizeof got, PATIENCE_MS);
  close(fd);
  struct accept_counters counters = served_stop(&served);
  CHECK_EQUAL(length, 0);
  CHECK_EQUAL(counters.refused, 1);
  CHECK_EQUAL(counters.replied, 0);
}

/* A pattern whose period divides no power of two, so that a lost or repeated block shows. */
static char pattern(size_t i) { return (char)('a' + i % 23); }

static void answer_hugely(void *context, const char *request, size_t length, struct accept_reply *reply) {
  (void)context, (void)request, (void)length;
  if (!accept_reply_reserve(reply, HUGE_REPLY_BYTES))
    return;
  for (size_t i = 0; i < HUGE_REPLY_BYTES; i++)
    reply->bytes[i] = pattern(i);
  reply->length = HUGE_REPLY_BYTES;
}

/* Beyond what both socket buffers may hold together, to a reader that begins late. */
static void a_huge_reply_arrives_whole(const struct path *path) {
  static const struct accept_handler huge = {.answer = answer_hugely};
  struct served served;
  char *got = malloc(HUGE_REPLY_BYTES);
  CHECK(got && start(&served, path, &huge));
  int fd = client_connect("127.0.0.1", accept_engine_port(served.engine), 8192);
  client_send(fd, REQUEST, sizeof REQUEST - 1);
  sleep_ms(150);
  long length = client_read(fd, got, HUGE_REPLY_BYTES, 4 * PATIENCE_MS);
  close(fd);
  size_t wrong = 0;
  for (long i = 0; i < length; i++)
    wrong += got[i] != pattern((size_t)i);
  free(got);
  struct accept_counters counters = served_stop(&served);
  CHECK_EQUAL(length, HUGE_REPLY_BYTES);
  CHECK_EQUAL(wrong, 0);
  CHECK_EQUAL(counters.replied, 1);
}

static void answer_nothing(void *context, const char *request, size_t length, struct accept_reply *reply) {
  (void)context, (void)request, (void)length, (void)reply;
}

static void an_empty_reply_is_a_close(const struct path *path) {
  static const struct accept_handler nothing = {.answer = answer_nothing};
  struct served served;
  CHECK(start(&served, path, &nothing));
  bool right = client_ask(accept_engine_port(served.engine), REQUEST, "", PATIENCE_MS);
  served_stop(&served);
  CHECK(right);
}

static size_t complete_by_length(void *context, const char *bytes, size_t length) {
  (void)context;
  return length && length >= (size_t)bytes[0] ? (size_t)bytes[0] : 0;
}

static void a_handler_frames_its_own_requests(const struct path *path) {
  struct accept_handler framed = echo;
  framed.complete = complete_by_length;
  struct served served;
  CHECK(start(&served, path, &framed));
  bool right = client_ask(accept_engine_port(served.engine), "\005abcd", "\005abcd", PATIENCE_MS);
  served_stop(&served);
  CHECK(right);
}

int main(void) {
  check_each_path("answers a whole request", answers_a_whole_request);
  check_each_path("waits for a split request", waits_for_a_split_request);
  check_each_path("garbage after the request does not reset the reply", garbage_after_the_request_does_not_reset_the_reply);
  check_each_path("refuses a request beyond the limit", refuses_a_request_beyond_the_limit);
  check_each_path("takes a request of exactly the limit", takes_a_request_of_exactly_the_limit);
  check_each_path("a client that leaves is forgotten", a_client_that_leaves_is_forgotten);
  check_each_path("a huge reply arrives whole", a_huge_reply_arrives_whole);
  check_each_path("an empty reply is a close", an_empty_reply_is_a_close);
  check_each_path("a handler frames its own requests", a_handler_frames_its_own_requests);
  return check_finish();
}
