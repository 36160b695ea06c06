/* Each technique on and off, by what it changes and not by what the engine says; the chain; every feature pretended missing. */
#include "fixture.h"

#include <dirent.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/internal.h"

enum { CONNECTIONS = 200, PATIENCE_MS = 8000, HELD = 20 };

static struct accept_options with(enum accept_configuration configuration, int technique, enum accept_choice choice) {
  struct accept_options options = accept_options_default();
  options.configuration = configuration;
  options.technique[ACCEPT_DEFER_ACCEPT] = ACCEPT_OFF;
  if (technique >= 0)
    options.technique[technique] = choice;
  return options;
}

/* Serves CONNECTIONS one after the other; zeros when one of them was not served right. */
static struct accept_counters serve(const struct accept_options *options, const struct accept_handler *handler) {
  struct served served;
  int right = 0;
  if (!served_start(&served, options, handler)) {
    check_fail(__FILE__, __LINE__, "%s", served.fault);
    return (struct accept_counters){0};
  }
  for (int i = 0; i < CONNECTIONS; i++)
    right += client_ask(accept_engine_port(served.engine), REQUEST, REPLY, PATIENCE_MS);
  struct accept_counters counters = served_stop(&served);
  if (right != CONNECTIONS || counters.replied != CONNECTIONS)
    check_fail(__FILE__, __LINE__, "%d of %d served, %d counted", right, CONNECTIONS, (int)counters.replied);
  return counters;
}

/* Both ways each technique may be set on top of both configurations: served right, and said in the path. */
static void each_technique_switches(void) {
  for (int configuration = 0; configuration < ACCEPT_CONFIGURATIONS; configuration++)
    for (int technique = 0; technique < ACCEPT_TECHNIQUES; technique++)
      for (int choice = ACCEPT_OFF; choice <= ACCEPT_ON; choice++) {
        struct accept_options options = with((enum accept_configuration)configuration, technique, (enum accept_choice)choice);
        char fault[256], said[128];
        struct accept_engine *engine = accept_engine_open(&options, &fixed, fault, sizeof fault);
        CHECK(engine);
        snprintf(said, sizeof said, "%s was set %s", accept_technique_name((enum accept_technique)technique),
                 choice == ACCEPT_ON ? "on" : "off");
        bool says = strstr(accept_engine_path(engine), said);
        accept_engine_close(engine);
        if (!says)
          check_fail(__FILE__, __LINE__, "the path does not say '%s'", said);
        serve(&options, &fixed);
        CHECK(!check_failed());
      }
}

static void skip_success_halves_the_completions(void) {
  struct accept_options on = with(ACCEPT_SIX_TECHNIQUES, ACCEPT_SKIP_SUCCESS, ACCEPT_ON);
  struct accept_options off = with(ACCEPT_SIX_TECHNIQUES, ACCEPT_SKIP_SUCCESS, ACCEPT_OFF);
  uint64_t with_it = serve(&on, &fixed).completions, without = serve(&off, &fixed).completions;
  /* Wake-up, timer, cancellation: a few more. */
  CHECK(with_it >= 2 * CONNECTIONS && with_it < 2 * CONNECTIONS + 10);
  CHECK(without >= 4 * CONNECTIONS && without < 4 * CONNECTIONS + 10);
}

/* Segments the client has received when the stream has ended. */
static unsigned segments(enum accept_configuration configuration, enum accept_choice choice) {
  struct accept_options options = with(configuration, ACCEPT_FUSE_FIN, choice);
  struct served served;
  struct tcp_info info = {0};
  socklen_t length = sizeof info;
  char got[64];
  if (!served_start(&served, &options, &fixed))
    return 0;
  int fd = client_connect("127.0.0.1", accept_engine_port(served.engine), 0);
  client_send(fd, REQUEST, sizeof REQUEST - 1);
  client_read(fd, got, sizeof got, PATIENCE_MS);
  getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length);
  close(fd);
  served_stop(&served);
  return info.tcpi_segs_in;
}

static void fuse_fin_saves_a_segment(void) {
  CHECK_EQUAL(segments(ACCEPT_SIX_TECHNIQUES, ACCEPT_ON) + 1, segments(ACCEPT_SIX_TECHNIQUES, ACCEPT_OFF));
  CHECK_EQUAL(segments(ACCEPT_ENGINE, ACCEPT_ON) + 1, segments(ACCEPT_ENGINE, ACCEPT_OFF));
}

static int open_descriptors(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (folder && readdir(folder))
    count++;
  if (folder)
    closedir(folder);
  return count;
}

/* Descriptors the process gains while HELD silent clients are connected, both ends being ours. */
static int descriptors_gained(enum accept_choice direct) {
  struct accept_options options = with(ACCEPT_SIX_TECHNIQUES, ACCEPT_DIRECT_DESCRIPTORS, direct);
  struct served served;
  int held[HELD];
  if (!served_start(&served, &options, &fixed))
    return -1;
  client_ask(accept_engine_port(served.engine), REQUEST, REPLY, PATIENCE_MS); /* the ring is open by now */
  int before = open_descriptors();
  for (int i = 0; i < HELD; i++)
    held[i] = client_connect("127.0.0.1", accept_engine_port(served.engine), 0);
  for (uint64_t end = now_ms() + PATIENCE_MS; accept_engine_counters(served.engine).accepted <= HELD && now_ms() < end;)
    sleep_ms(5);
  int gained = open_descriptors() - before;
  for (int i = 0; i < HELD; i++)
    close(held[i]);
  served_stop(&served);
  return gained;
}

static void direct_descriptors_take_no_descriptor(void) {
  CHECK_EQUAL(descriptors_gained(ACCEPT_OFF), 2 * HELD);
  CHECK_EQUAL(descriptors_gained(ACCEPT_ON), HELD);
}

static uint64_t accepted_silent(enum accept_choice defer) {
  struct accept_options options = accept_options_default();
  options.technique[ACCEPT_DEFER_ACCEPT] = defer;
  struct served served;
  if (!served_start(&served, &options, &fixed))
    return UINT64_MAX;
  int fd = client_connect("127.0.0.1", accept_engine_port(served.engine), 0);
  sleep_ms(300);
  uint64_t accepted = accept_engine_counters(served.engine).accepted;
  close(fd);
  served_stop(&served);
  return accepted;
}

static void defer_accept_holds_a_silent_client_back(void) {
  CHECK_EQUAL(accepted_silent(ACCEPT_ON), 0);
  CHECK_EQUAL(accepted_silent(ACCEPT_OFF), 1);
}

static void the_freelist_keeps_what_it_may(void) {
  struct worker worker = {0};
  pool_init(&worker.pool, 2, 64);
  struct connection *taken[3];
  for (int i = 0; i < 3; i++)
    taken[i] = connection_take(&worker, i, false);
  struct connection *last = taken[2];
  CHECK(taken[0] && taken[1] && last);
  for (int i = 2; i >= 0; i--)
    connection_release(&worker, taken[i]);
  CHECK_EQUAL(worker.pool.free_count, 2);
  CHECK(connection_take(&worker, 7, false) == taken[1]);
  CHECK(connection_take(&worker, 8, false) == last);
  free(taken[1]);
  free(last);
  pool_free(&worker.pool);
}

static struct accept_options chained(enum accept_choice skip) {
  struct accept_options options = with(ACCEPT_SIX_TECHNIQUES, ACCEPT_LINK_CHAIN, ACCEPT_ON);
  options.technique[ACCEPT_SKIP_SUCCESS] = skip;
  return options;
}

static void a_chain_reports_once_or_thrice(void) {
  struct accept_options skipping = chained(ACCEPT_ON), reporting = chained(ACCEPT_OFF);
  uint64_t few = serve(&skipping, &fixed).completions, many = serve(&reporting, &fixed).completions;
  CHECK(few >= 2 * CONNECTIONS && few < 2 * CONNECTIONS + 10);
  CHECK(many >= 4 * CONNECTIONS && many < 4 * CONNECTIONS + 10);
}

/* A split request, one cut off, a silent client that times out: whatever breaks the chain is brought to its end. */
static void broken_chain(enum accept_choice skip, enum accept_choice direct) {
  struct accept_options options = chained(skip);
  options.technique[ACCEPT_DIRECT_DESCRIPTORS] = direct;
  options.timeout_ms = 400;
  struct served served;
  char got[64], early;
  CHECK(served_start(&served, &options, &fixed));
  uint16_t port = accept_engine_port(served.engine);
  int split = client_connect("127.0.0.1", port, 0), cut = client_connect("127.0.0.1", port, 0);
  int silent = client_connect("127.0.0.1", port, 0);
  client_send(split, REQUEST, 7);
  client_send(cut, REQUEST, 7);
  shutdown(cut, SHUT_WR);
  sleep_ms(50);
  bool answered_early = recv(split, &early, 1, MSG_DONTWAIT | MSG_PEEK) >= 0;
  client_send(split, REQUEST + 7, sizeof REQUEST - 1 - 7);
  long length = client_read(split, got, sizeof got, PATIENCE_MS), nothing = client_read(cut, got + 32, 8, PATIENCE_MS);
  long given_up = client_read(silent, got + 48, 8, PATIENCE_MS);
  close(split), close(cut), close(silent);
  struct accept_counters counters = served_stop(&served);
  CHECK(!answered_early);
  CHECK_EQUAL(length, sizeof REPLY - 1);
  CHECK(!memcmp(got, REPLY, sizeof REPLY - 1));
  CHECK_EQUAL(nothing, 0);
  CHECK_EQUAL(given_up, 0);
  CHECK_EQUAL(counters.replied, 1);
  CHECK_EQUAL(counters.refused, 1);
  CHECK_EQUAL(counters.timed_out, 1);
}

static void a_broken_chain_is_mended(void) {
  for (int skip = ACCEPT_OFF; skip <= ACCEPT_ON; skip++)
    for (int direct = ACCEPT_OFF; direct <= ACCEPT_ON; direct++)
      broken_chain((enum accept_choice)skip, (enum accept_choice)direct);
}

enum { LARGE_BYTES = 8 << 20 };

static void answer_large(void *context, const char *request, size_t length, struct accept_reply *reply) {
  (void)context, (void)request, (void)length;
  if (!accept_reply_reserve(reply, LARGE_BYTES))
    return;
  for (size_t i = 0; i < LARGE_BYTES; i++)
    reply->bytes[i] = (char)('a' + i % 23);
  reply->length = LARGE_BYTES;
}

static void a_chain_sends_a_large_reply_whole(void) {
  static const struct accept_handler large = {.answer = answer_large, .fixed_request_bytes = sizeof REQUEST - 1, .reply_ahead = true};
  struct accept_options options = chained(ACCEPT_ON);
  struct served served;
  char *got = malloc(LARGE_BYTES);
  size_t wrong = 0;
  CHECK(got && served_start(&served, &options, &large));
  int fd = client_connect("127.0.0.1", accept_engine_port(served.engine), 8192);
  client_send(fd, REQUEST, sizeof REQUEST - 1);
  sleep_ms(100);
  long length = client_read(fd, got, LARGE_BYTES, 4 * PATIENCE_MS);
  for (long i = 0; i < length; i++)
    wrong += got[i] != (char)('a' + i % 23);
  close(fd);
  free(got);
  served_stop(&served);
  CHECK_EQUAL(length, LARGE_BYTES);
  CHECK_EQUAL(wrong, 0);
}

static void a_chain_needs_a_reply_known_beforehand(void) {
  struct accept_options options = chained(ACCEPT_ON);
  char fault[256] = "";
  CHECK(!accept_engine_open(&options, &echo, fault, sizeof fault));
  CHECK(strstr(fault, "link-chain"));
}

/* Whatever single feature is missing, both configurations serve, and say so when they would have used it. */
static void serves_without_each_feature(void) {
  static const char *const said_by_six[ACCEPT_FEATURES] = {
      [ACCEPT_HAS_RING] = "bursts of accept4",
      [ACCEPT_HAS_SINGLE_ISSUER] = "defer-taskrun was tried and refused",
      [ACCEPT_HAS_DEFER_TASKRUN] = "defer-taskrun is pretended missing",
      [ACCEPT_HAS_MULTISHOT] = "single-shot accept by io_uring into direct",
      [ACCEPT_HAS_DIRECT] = "multishot accept by io_uring into regular",
      [ACCEPT_HAS_SKIP_SUCCESS] = "skip-success is pretended missing",
  };
  for (int feature = 0; feature < ACCEPT_FEATURES; feature++)
    for (int configuration = 0; configuration < ACCEPT_CONFIGURATIONS; configuration++) {
      struct accept_options options = with((enum accept_configuration)configuration, -1, ACCEPT_AS_CONFIGURED);
      char fault[256];
      options.without = 1u << feature;
      struct accept_engine *engine = accept_engine_open(&options, &fixed, fault, sizeof fault);
      CHECK(engine);
      bool says = configuration == ACCEPT_ENGINE || !said_by_six[feature] || strstr(accept_engine_path(engine), said_by_six[feature]);
      if (!says)
        check_fail(__FILE__, __LINE__, "without %s: %s", accept_feature_name((enum accept_feature)feature), accept_engine_path(engine));
      accept_engine_close(engine);
      serve(&options, &fixed);
      CHECK(!check_failed());
    }
}

static void names_and_numbers_agree(void) {
  for (int i = 0; i < ACCEPT_TECHNIQUES; i++)
    CHECK_EQUAL(accept_technique_parse(accept_technique_name((enum accept_technique)i)), i);
  for (int i = 0; i < ACCEPT_FEATURES; i++)
    CHECK_EQUAL(accept_feature_parse(accept_feature_name((enum accept_feature)i)), i);
  for (int i = 0; i < ACCEPT_CONFIGURATIONS; i++)
    CHECK_EQUAL(accept_configuration_parse(accept_configuration_name((enum accept_configuration)i)), i);
  CHECK_EQUAL(accept_technique_parse("warp"), -1);
}

/* A ring so short that a burst takes several entries into the kernel: served all the same, and said in the path. */
static void a_short_ring_serves(void) {
  struct accept_options options = with(ACCEPT_SIX_TECHNIQUES, -1, ACCEPT_ON);
  char fault[256];
  options.ring_entries = 15;
  CHECK(!accept_engine_open(&options, &fixed, fault, sizeof fault));
  CHECK(strstr(fault, "at least 16"));
  options.ring_entries = 16;
  struct accept_engine *engine = accept_engine_open(&options, &fixed, fault, sizeof fault);
  CHECK(engine);
  bool says = strstr(accept_engine_path(engine), "ring of 16 requests; table of 4096 descriptors; freelist of 128 connections");
  accept_engine_close(engine);
  CHECK(says);
  CHECK_EQUAL(serve(&options, &fixed).replied, CONNECTIONS);
}

int main(void) {
  check_run("each technique switches", each_technique_switches);
  check_run("skip-success halves the completions", skip_success_halves_the_completions);
  check_run("fuse-fin saves a segment", fuse_fin_saves_a_segment);
  check_run("direct descriptors take no descriptor", direct_descriptors_take_no_descriptor);
  check_run("defer-accept holds a silent client back", defer_accept_holds_a_silent_client_back);
  check_run("the freelist keeps what it may", the_freelist_keeps_what_it_may);
  check_run("a chain reports once or thrice", a_chain_reports_once_or_thrice);
  check_run("a broken chain is mended", a_broken_chain_is_mended);
  check_run("a chain sends a large reply whole", a_chain_sends_a_large_reply_whole);
  check_run("a chain needs a reply known beforehand", a_chain_needs_a_reply_known_beforehand);
  check_run("serves without each feature", serves_without_each_feature);
  check_run("a short ring serves", a_short_ring_serves);
  check_run("names and numbers agree", names_and_numbers_agree);
  return check_finish();
}
