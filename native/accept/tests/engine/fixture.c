#include "fixture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define WITHOUT(feature) (1u << (feature))

const struct path paths[] = {
    {"engine", ACCEPT_ENGINE, {-1}, {-1}, 0, "recv, send, close by system calls"},
    {"no ring", ACCEPT_ENGINE, {-1}, {-1}, WITHOUT(ACCEPT_HAS_RING), "bursts of accept4 under epoll"},
    {"multishot direct", ACCEPT_SIX_TECHNIQUES, {-1}, {-1}, 0, "multishot accept by io_uring into direct descriptors"},
    {"multishot regular",
     ACCEPT_SIX_TECHNIQUES,
     {ACCEPT_DIRECT_DESCRIPTORS, -1},
     {-1},
     0,
     "multishot accept by io_uring into regular descriptors"},
    {"single-shot direct", ACCEPT_SIX_TECHNIQUES, {ACCEPT_MULTISHOT, -1}, {-1}, 0, "single-shot accept by io_uring into direct descriptors"},
    {"single-shot regular",
     ACCEPT_SIX_TECHNIQUES,
     {ACCEPT_MULTISHOT, ACCEPT_DIRECT_DESCRIPTORS, -1},
     {-1},
     0,
     "single-shot accept by io_uring into regular descriptors"},
    {"bare ring",
     ACCEPT_SIX_TECHNIQUES,
     {ACCEPT_FUSE_FIN, ACCEPT_FREELIST, -1},
     {-1},
     WITHOUT(ACCEPT_HAS_SINGLE_ISSUER) | WITHOUT(ACCEPT_HAS_DEFER_TASKRUN) | WITHOUT(ACCEPT_HAS_COOP_TASKRUN) |
         WITHOUT(ACCEPT_HAS_MULTISHOT) | WITHOUT(ACCEPT_HAS_DIRECT) | WITHOUT(ACCEPT_HAS_SKIP_SUCCESS),
     "skip-success is pretended missing"},
};
const size_t paths_count = sizeof paths / sizeof *paths;

struct accept_options path_options(const struct path *path) {
  struct accept_options options = accept_options_default();
  options.configuration = path->configuration;
  options.without = path->without;
  for (int i = 0; path->off[i] >= 0; i++)
    options.technique[path->off[i]] = ACCEPT_OFF;
  for (int i = 0; path->on[i] >= 0; i++)
    options.technique[path->on[i]] = ACCEPT_ON;
  /* A silent client reaches accept at once, and tests need not wait a second for it. */
  options.technique[ACCEPT_DEFER_ACCEPT] = ACCEPT_OFF;
  return options;
}

static void *serve(void *argument) {
  struct served *served = argument;
  served->result = accept_engine_run(served->engine);
  return NULL;
}

bool served_start(struct served *served, const struct accept_options *options, const struct accept_handler *handler) {
  *served = (struct served){0};
  served->engine = accept_engine_open(options, handler, served->fault, sizeof served->fault);
  return served->engine && pthread_create(&served->thread, NULL, serve, served) == 0;
}

struct accept_counters served_stop(struct served *served) {
  accept_engine_stop(served->engine);
  pthread_join(served->thread, NULL);
  struct accept_counters counters = accept_engine_counters(served->engine);
  snprintf(served->fault, sizeof served->fault, "%s", accept_engine_fault(served->engine));
  accept_engine_close(served->engine);
  return counters;
}

static void answer_echo(void *context, const char *request, size_t length, struct accept_reply *reply) {
  (void)context;
  if (!accept_reply_reserve(reply, length))
    return;
  memcpy(reply->bytes, request, length);
  reply->length = length;
}

static void answer_fixed(void *context, const char *request, size_t length, struct accept_reply *reply) {
  (void)context, (void)request, (void)length;
  memcpy(reply->bytes, REPLY, sizeof REPLY - 1);
  reply->length = sizeof REPLY - 1;
}

const struct accept_handler echo = {.answer = answer_echo};
const struct accept_handler fixed = {.answer = answer_fixed, .fixed_request_bytes = sizeof REQUEST - 1, .reply_ahead = true};

int client_connect(const char *address, uint16_t port, int receive_buffer) {
  struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
  bool is_v4 = inet_pton(AF_INET, address, &v4.sin_addr) == 1;
  if (!is_v4 && inet_pton(AF_INET6, address, &v6.sin6_addr) != 1)
    return -1;
  int fd = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return -1;
  if (receive_buffer)
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  if (connect(fd, is_v4 ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6, is_v4 ? sizeof v4 : sizeof v6) < 0) {
    close(fd);
    return -1;
  }
  return fd;
}

bool client_send(int fd, const char *bytes, size_t length) {
  while (length) {
    ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);
    if (sent <= 0)
      return false;
    bytes += sent;
    length -= (size_t)sent;
  }
  return true;
}

long client_read(int fd, char *bytes, size_t room, int milliseconds) {
  size_t got = 0;
  uint64_t end = now_ms() + (uint64_t)milliseconds;
  for (;;) {
    uint64_t now = now_ms();
    struct pollfd readable = {.fd = fd, .events = POLLIN};
    if (now >= end || poll(&readable, 1, (int)(end - now)) == 0)
      return -2;
    char spare;
    ssize_t received = got < room ? recv(fd, bytes + got, room - got, 0) : recv(fd, &spare, 1, 0);
    if (received < 0)
      return -1;
    if (received == 0)
      return (long)got;
    got += (size_t)received;
  }
}

bool client_ask(uint16_t port, const char *request, const char *reply, int milliseconds) {
  char got[4096];
  int fd = client_connect("127.0.0.1", port, 0);
  if (fd < 0)
    return false;
  long length = client_send(fd, request, strlen(request)) ? client_read(fd, got, sizeof got, milliseconds) : -1;
  close(fd);
  return length == (long)strlen(reply) && !memcmp(got, reply, (size_t)length);
}

uint64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void sleep_ms(unsigned milliseconds) {
  struct timespec left = {.tv_sec = milliseconds / 1000, .tv_nsec = (long)(milliseconds % 1000) * 1000000};
  while (nanosleep(&left, &left) < 0 && errno == EINTR)
    ;
}

static const struct path *current;
static void (*current_test)(const struct path *path);
static void run_current(void) { current_test(current); }

void check_each_path(const char *name, void (*test)(const struct path *path)) {
  for (size_t i = 0; i < paths_count; i++) {
    char full[128];
    current = &paths[i];
    current_test = test;
    snprintf(full, sizeof full, "%s, %s", name, paths[i].name);
    check_run(full, run_current);
  }
}
