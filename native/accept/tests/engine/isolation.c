/*
 * Every connection gets its own reply, to the byte, with 512 in flight and requests that arrive in halves: a reply buffer shared
 * between connections, as in the published engine, or one reused before the kernel is done with it cannot pass.
 */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { IN_FLIGHT = 512, CONNECTIONS = 6000, TEXT_BYTES = 1400 };

struct conversation {
  int fd;
  unsigned token;
  size_t length, sent, got;
  char text[TEXT_BYTES], reply[TEXT_BYTES + 1];
};

/* A request only this connection has: its token, then a length and a filling that follow from it. */
static void compose(struct conversation *talk, unsigned token) {
  size_t filling = token * 37 % 1300;
  talk->token = token;
  talk->sent = talk->got = 0;
  int head = snprintf(talk->text, sizeof talk->text, "GET /%08u/", token);
  for (size_t i = 0; i < filling; i++)
    talk->text[head + (int)i] = (char)('a' + (token + i) % 26);
  memcpy(talk->text + head + filling, "\r\n\r\n", 4);
  talk->length = (size_t)head + filling + 4;
}

static bool open_talk(struct conversation *talk, int epoll, uint16_t port, unsigned token) {
  compose(talk, token);
  talk->fd = client_connect("127.0.0.1", port, 0);
  if (talk->fd < 0)
    return false;
  fcntl(talk->fd, F_SETFL, O_NONBLOCK);
  /* Every third request goes out in two halves, the second after others have been served. */
  size_t first = token % 3 ? talk->length : talk->length / 2;
  talk->sent = client_send(talk->fd, talk->text, first) ? first : 0;
  struct epoll_event event = {.events = EPOLLIN | (talk->sent < talk->length ? EPOLLOUT : 0), .data.ptr = talk};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, talk->fd, &event) == 0;
}

/* 1 when the reply is whole and right, -1 when it is wrong, 0 to go on. */
static int go_on(struct conversation *talk, int epoll) {
  if (talk->sent < talk->length) {
    client_send(talk->fd, talk->text + talk->sent, talk->length - talk->sent);
    talk->sent = talk->length;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = talk};
    epoll_ctl(epoll, EPOLL_CTL_MOD, talk->fd, &event);
    return 0;
  }
  ssize_t received = recv(talk->fd, talk->reply + talk->got, sizeof talk->reply - talk->got, 0);
  if (received < 0)
    return errno == EAGAIN ? 0 : -1;
  talk->got += (size_t)received;
  if (received)
    return talk->got > talk->length ? -1 : 0;
  return talk->got == talk->length && !memcmp(talk->reply, talk->text, talk->length) ? 1 : -1;
}

static void converse(uint16_t port, unsigned *right, unsigned *wrong) {
  struct conversation *talks = calloc(IN_FLIGHT, sizeof *talks);
  struct epoll_event events[64];
  int epoll = epoll_create1(0);
  unsigned begun = 0;
  for (; begun < IN_FLIGHT; begun++)
    if (!open_talk(&talks[begun], epoll, port, begun))
      ++*wrong;
  uint64_t end = now_ms() + 60000;
  while (*right + *wrong < CONNECTIONS && now_ms() < end) {
    int ready = epoll_wait(epoll, events, 64, 1000);
    for (int i = 0; i < ready; i++) {
      struct conversation *talk = events[i].data.ptr;
      int outcome = go_on(talk, epoll);
      if (!outcome)
        continue;
      ++*(outcome > 0 ? right : wrong);
      close(talk->fd);
      if (begun < CONNECTIONS && !open_talk(talk, epoll, port, begun++))
        ++*wrong;
    }
  }
  close(epoll);
  free(talks);
}

static void every_connection_gets_its_own_reply(const struct path *path) {
  struct accept_options options = path_options(path);
  struct served served;
  unsigned right = 0, wrong = 0;
  CHECK(served_start(&served, &options, &echo));
  converse(accept_engine_port(served.engine), &right, &wrong);
  struct accept_counters counters = served_stop(&served);
  CHECK_EQUAL(wrong, 0);
  CHECK_EQUAL(right, CONNECTIONS);
  CHECK_EQUAL(counters.accepted, CONNECTIONS);
  CHECK_EQUAL(counters.replied, CONNECTIONS);
  CHECK_EQUAL(counters.refused + counters.failed + counters.timed_out, 0);
}

int main(void) {
  check_each_path("every connection gets its own reply", every_connection_gets_its_own_reply);
  return check_finish();
}
