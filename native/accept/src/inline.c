#include "inline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 512, BURST = 512, BACK_OFF_NS = 10000000, DRAIN_STEP_MS = 50 };

static void watch(struct inline_server *inlined, int *fd) {
    struct epoll_event interest = {.events = EPOLLIN, .data.ptr = fd};
    if (epoll_ctl(inlined->slow.epoll, EPOLL_CTL_ADD, *fd, &interest) != 0) {
        fprintf(stderr, "cannot watch a descriptor with epoll: %s\n", strerror(errno));
        exit(1);
    }
}

void inline_begin(struct inline_server *inlined) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    inlined->counters.enters = inlined->counters.completions = SERVER_NO_COUNTER;
    slow_begin(&inlined->slow, epoll, inlined->server.timeout_ms, &inlined->counters);
    watch(inlined, &inlined->server.listener);
    watch(inlined, &inlined->server.signals);
}

static void answer(struct inline_server *inlined, int fd) {
    char request[CONTRACT_REQUEST_LIMIT];
    ssize_t got = recv(fd, request, sizeof request, inlined->transfer_flags);
    inlined->counters.system_calls++;
    if (got > 0 && slow_complete(request, (size_t)got)) {
        if (send(fd, CONTRACT_REPLY, CONTRACT_REPLY_BYTES, MSG_MORE | MSG_NOSIGNAL | inlined->transfer_flags) ==
            CONTRACT_REPLY_BYTES)
            inlined->counters.replied++;
        close(fd);
        inlined->counters.system_calls += 2;
    } else if ((got < 0 && errno == EAGAIN) || (got > 0 && got < CONTRACT_REQUEST_LIMIT)) {
        slow_add(&inlined->slow, fd, request, got > 0 ? (size_t)got : 0);
    } else {
        inlined->counters.refused += got > 0;
        close(fd);
        inlined->counters.system_calls++;
    }
}

bool inline_accept_one(struct inline_server *inlined) {
    int fd = accept4(inlined->server.listener, NULL, NULL, inlined->accept_flags | SOCK_CLOEXEC);
    inlined->counters.system_calls++;
    if (fd >= 0) {
        inlined->counters.accepted++;
        answer(inlined, fd);
        return true;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        const struct timespec pause = {.tv_nsec = BACK_OFF_NS};
        if (!slow_drop_oldest(&inlined->slow))
            nanosleep(&pause, NULL);
        errno = EMFILE;
        return false;
    }
    return errno == ECONNABORTED;
}

static void accept_burst(struct inline_server *inlined) {
    for (int i = 0; i < BURST && inline_accept_one(inlined); i++)
        ;
}

static bool handle(struct inline_server *inlined, const struct epoll_event *events, int ready) {
    bool new_connections = false, signalled = false;
    for (int i = 0; i < ready; i++) {
        if (events[i].data.ptr == &inlined->server.listener)
            new_connections = true;
        else if (events[i].data.ptr == &inlined->server.signals)
            signalled = true;
        else
            slow_ready(&inlined->slow, events[i].data.ptr);
    }
    /* After the slow ones: making room drops one of them, whose event must not come after that. */
    if (new_connections)
        accept_burst(inlined);
    return !signalled;
}

enum inline_end inline_serve(struct inline_server *inlined, bool until_calm, uint64_t until_ms) {
    struct epoll_event events[EVENTS];
    for (;;) {
        if (until_calm && inlined->slow.open == 0)
            return INLINE_CALM;
        int wait_ms = slow_wait_ms(&inlined->slow);
        if (until_ms != UINT64_MAX) {
            if (server_now_ms() >= until_ms)
                return INLINE_LATE;
            if (wait_ms < 0 || wait_ms > DRAIN_STEP_MS)
                wait_ms = DRAIN_STEP_MS;
        }
        int ready = epoll_wait(inlined->slow.epoll, events, EVENTS, wait_ms);
        inlined->counters.system_calls++;
        if (!handle(inlined, events, ready))
            return INLINE_SIGNAL;
        slow_expire(&inlined->slow);
    }
}

int inline_finish(struct inline_server *inlined, const char *path) {
    accept_burst(inlined); /* who is in the queue already is still served */
    epoll_ctl(inlined->slow.epoll, EPOLL_CTL_DEL, inlined->server.signals, NULL);
    close(inlined->server.listener);
    inline_serve(inlined, true, server_now_ms() + SERVER_DRAIN_MS);
    slow_end(&inlined->slow);
    close(inlined->slow.epoll);
    close(inlined->server.signals);
    return server_report(path, &inlined->counters);
}
