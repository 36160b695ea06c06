/*
 * The loop of a worker without a ring: bursts of accept4 under epoll, for kernels and containers where io_uring is missing or
 * has no multishot accept. Any kernel; try it: accept-engine --without ring.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "internal.h"

enum { BURST = 256 };

/* Takes up to a burst; true while there may be more. */
static bool accept_burst(struct worker *worker)
{
    for (int i = 0; i < BURST; i++) {
        int fd = accept4(worker->listener, NULL, NULL, SOCK_CLOEXEC);
        ADD(worker->counters.system_calls, 1);
        if (fd >= 0) {
            ADD(worker->counters.accepted, 1);
            calls_begin(worker, fd);
            if (worker->live >= worker->capacity)
                return true;
        } else if (descriptors_exhausted(errno)) {
            worker->starved = true;
            worker->closes_when_starved = worker->closes;
            return true;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            return false;
        }
    }
    return true;
}

/* How long epoll may sleep: not at all, to the end of the pause, to the oldest deadline, for ever. */
static int sleep_ms(struct worker *worker, bool more)
{
    if (worker->pause_armed)
        return PAUSE_NS / 1000000;
    if (more)
        return 0;
    uint64_t deadline = worker_next_deadline(worker), now = worker_now(worker);
    if (!deadline)
        return -1;
    uint64_t left_ms = deadline > now ? (deadline - now) / 1000000 + 1 : 0;
    return left_ms > INT_MAX ? INT_MAX : (int)left_ms;
}

static int watch(struct worker *worker, int operation, int fd, void *mark)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = mark};
    return epoll_ctl(worker->epoll, operation, fd, &event);
}

/* While accepting pauses the listener leaves epoll, or its readiness would make the loop spin. */
static void watch_listener(struct worker *worker, bool watched)
{
    if (worker->listener_unwatched == !watched)
        return;
    worker->listener_unwatched = !watched;
    ADD(worker->counters.system_calls, 1);
    watch(worker, watched ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, worker->listener, NULL);
}

static void pause_accepting(struct worker *worker)
{
    if (worker->pause_armed)
        return;
    worker->pause_armed = true;
    worker->pause_end_ns = worker_now(worker) + PAUSE_NS;
    ADD(worker->counters.pauses, 1);
    watch_listener(worker, false);
}

/* Serves until told to stop and nothing is left to answer. */
int calls_serve(struct worker *worker)
{
    bool more = false, drained = false;
    fcntl(worker->listener, F_SETFL, O_NONBLOCK);
    if (watch(worker, EPOLL_CTL_ADD, worker->listener, NULL) < 0 || watch(worker, EPOLL_CTL_ADD, worker->wake, &worker->wake) < 0) {
        snprintf(worker->fault, sizeof worker->fault, "epoll_ctl failed: %s", strerror(errno));
        return -1;
    }
    while (!drained || worker->live) {
        int wait_ms = sleep_ms(worker, more && !drained);
        more |= calls_poll(worker, wait_ms);
        worker->now_ns = 0;
        worker_expire(worker);
        if (worker->stopping && !drained) {
            worker->pause_armed = false;
            watch_listener(worker, true);
            drained = worker_drain_backlog(worker);
            close(worker->listener);
            watch(worker, EPOLL_CTL_DEL, worker->wake, NULL);
            worker->listener = -1;
        }
        if (drained)
            continue;
        if (worker->pause_armed && worker_now(worker) >= worker->pause_end_ns)
            worker->pause_armed = worker->starved = false;
        if (!worker_may_accept(worker)) {
            pause_accepting(worker);
        } else {
            worker->pause_armed = false;
            watch_listener(worker, true);
            if (more)
                more = accept_burst(worker);
        }
    }
    return 0;
}
