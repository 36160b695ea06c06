/*
 * Control: one epoll loop, everything inline. A connection is accepted, read, answered with MSG_MORE so that reply and FIN share a segment, and closed
 * in one go; only what has not sent its whole request yet is put under epoll. It does not use TCP_DEFER_ACCEPT.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "slow.h"

enum { EVENTS = 512, BURST = 512, BACK_OFF_NS = 10000000 };

static struct server_counters counters = {.enters = SERVER_NO_COUNTER, .completions = SERVER_NO_COUNTER};
static struct server server;
static struct slow slow;

static void serve(int fd) {
  char request[CONTRACT_REQUEST_LIMIT];
  ssize_t got = recv(fd, request, sizeof request, 0);
  counters.system_calls++;
  if (got > 0 && slow_complete(request, (size_t)got)) {
    if (send(fd, CONTRACT_REPLY, CONTRACT_REPLY_BYTES, MSG_MORE | MSG_NOSIGNAL) == CONTRACT_REPLY_BYTES)
      counters.replied++;
    close(fd);
    counters.system_calls += 2;
  } else if ((got < 0 && errno == EAGAIN) || (got > 0 && got < CONTRACT_REQUEST_LIMIT)) {
    slow_add(&slow, fd, request, got > 0 ? (size_t)got : 0);
  } else {
    counters.refused += got > 0;
    close(fd);
    counters.system_calls++;
  }
}

/* Out of descriptors: the oldest slow connection gives way, else the queue waits a moment. */
static void make_room(void) {
  const struct timespec pause = {.tv_nsec = BACK_OFF_NS};
  if (!slow_drop_oldest(&slow))
    nanosleep(&pause, NULL);
}

static void accept_burst(void) {
  for (int i = 0; i < BURST; i++) {
    int fd = accept4(server.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    counters.system_calls++;
    if (fd >= 0) {
      counters.accepted++;
      serve(fd);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      make_room();
      return;
    } else if (errno != ECONNABORTED && errno != EINTR) {
      return;
    }
  }
}

/* Serves until `until_ms` (UINT64_MAX: until a signal) or, when draining, until nothing is open. */
static void serve_until(int epoll, uint64_t until_ms) {
  struct epoll_event events[EVENTS];
  bool draining = until_ms != UINT64_MAX;
  while (!draining || (slow.open > 0 && server_now_ms() < until_ms)) {
    int wait_ms = slow_wait_ms(&slow);
    if (draining && wait_ms > SERVER_DRAIN_MS / 10)
      wait_ms = SERVER_DRAIN_MS / 10;
    int ready = epoll_wait(epoll, events, EVENTS, wait_ms);
    counters.system_calls++;
    for (int i = 0; i < ready; i++) {
      if (events[i].data.ptr == &server.signals)
        return;
      if (events[i].data.ptr == &server.listener)
        continue;
      slow_ready(&slow, events[i].data.ptr);
    }
    /* After the slow ones: making room drops one of them, and its event must not come after that. */
    for (int i = 0; i < ready; i++)
      if (events[i].data.ptr == &server.listener)
        accept_burst();
    slow_expire(&slow);
  }
}

static void watch(int epoll, int *fd) {
  struct epoll_event interest = {.events = EPOLLIN, .data.ptr = fd};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, *fd, &interest) != 0)
    abort();
}

int main(int count, char **arguments) {
  server = server_start(count, arguments, false);
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0)
    abort();
  slow_begin(&slow, epoll, server.timeout_ms, &counters);
  watch(epoll, &server.listener);
  watch(epoll, &server.signals);
  server_ready(&server);
  serve_until(epoll, UINT64_MAX);

  accept_burst(); /* who is already in the queue is still served */
  epoll_ctl(epoll, EPOLL_CTL_DEL, server.signals, NULL);
  close(server.listener);
  serve_until(epoll, server_now_ms() + SERVER_DRAIN_MS);
  slow_end(&slow);
  close(epoll);
  close(server.signals);
  return server_report("epoll, accept4, recv, send with MSG_MORE and close inline", &counters);
}
