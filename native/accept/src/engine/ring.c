/*
 * The loop of a worker that accepts by io_uring: one io_uring_enter submits everything queued and waits for completions.
 * Shows DEFER_TASKRUN with SINGLE_ISSUER (6.1), multishot accept and the direct descriptor table (5.19); single-shot accept
 * and regular descriptors work from 5.10. Try it: accept-engine --configuration six-techniques --set multishot-accept=off.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "internal.h"

enum { KIND_MASK = 15, ROOM_KEPT = 8 };

/* The next free request, with room for `room` in a row before the queue is flushed, so that a chain is never cut in two. */
struct io_uring_sqe *ring_request(struct worker *worker, unsigned room)
{
    while (io_uring_sq_space_left(&worker->ring) < room) {
        io_uring_submit(&worker->ring);
        ADD(worker->counters.enters, 1);
    }
    return io_uring_get_sqe(&worker->ring);
}

/* Whether a few more requests fit without a flush; bounds what one round can put on the completion queue. */
bool ring_has_room(struct worker *worker)
{
    return !worker->plan->on[ACCEPT_RING_TRANSFER] || io_uring_sq_space_left(&worker->ring) >= ROOM_KEPT;
}

/* To be called after a helper of liburing has filled the request: some versions clear user_data, others do not. */
void ring_tag(struct io_uring_sqe *sqe, enum request_kind kind, struct connection *connection)
{
    sqe->user_data = (uintptr_t)connection | kind;
}

static void arm_accept(struct worker *worker)
{
    const bool *on = worker->plan->on;
    bool direct = on[ACCEPT_DIRECT_DESCRIPTORS];
    int flags = direct ? 0 : SOCK_CLOEXEC;
    struct io_uring_sqe *sqe = ring_request(worker, 1);
    /* A multishot accept takes a whole backlog at once: near the limit, one at a time. */
    worker->accept_multishot = on[ACCEPT_MULTISHOT] && worker->live <= worker->capacity / 2;
    if (worker->accept_multishot && direct)
        io_uring_prep_multishot_accept_direct(sqe, worker->listener, NULL, NULL, flags);
    else if (worker->accept_multishot)
        io_uring_prep_multishot_accept(sqe, worker->listener, NULL, NULL, flags);
    else if (direct)
        io_uring_prep_accept_direct(sqe, worker->listener, NULL, NULL, flags, IORING_FILE_INDEX_ALLOC - 1);
    else
        io_uring_prep_accept(sqe, worker->listener, NULL, NULL, flags);
    ring_tag(sqe, ON_ACCEPT, NULL);
    worker->accept_armed = true;
    worker->accept_cancelled = false;
}

static void cancel_accept(struct worker *worker)
{
    if (!worker->accept_armed || worker->accept_cancelled)
        return;
    struct io_uring_sqe *sqe = ring_request(worker, 1);
    io_uring_prep_cancel64(sqe, ON_ACCEPT, 0);
    ring_tag(sqe, ON_CANCEL, NULL);
    worker->accept_cancelled = true;
}

static void arm_poll(struct worker *worker, int fd, enum request_kind kind)
{
    struct io_uring_sqe *sqe = ring_request(worker, 1);
    io_uring_prep_poll_add(sqe, fd, POLLIN);
    ring_tag(sqe, kind, NULL);
}

/* One timer for all connections: set to the oldest deadline when armed, so at worst it fires early and is set again. */
static void arm_timer(struct worker *worker)
{
    uint64_t deadline_ns = worker_next_deadline(worker);
    struct io_uring_sqe *sqe = ring_request(worker, 1);
    worker->timer = (struct __kernel_timespec){.tv_sec = (long long)(deadline_ns / 1000000000u),
                                               .tv_nsec = (long long)(deadline_ns % 1000000000u)};
    io_uring_prep_timeout(sqe, &worker->timer, 0, IORING_TIMEOUT_ABS);
    ring_tag(sqe, ON_TIMER, NULL);
    worker->timer_armed = true;
}

static void arm_pause(struct worker *worker)
{
    struct io_uring_sqe *sqe = ring_request(worker, 1);
    worker->pause = (struct __kernel_timespec){.tv_nsec = PAUSE_NS};
    io_uring_prep_timeout(sqe, &worker->pause, 0, 0);
    ring_tag(sqe, ON_PAUSE, NULL);
    worker->pause_armed = true;
    ADD(worker->counters.pauses, 1);
}

static void arm_renewal(struct worker *worker)
{
    struct io_uring_sqe *sqe = ring_request(worker, 1);
    worker->renewal = (struct __kernel_timespec){.tv_nsec = RENEWAL_NS};
    io_uring_prep_timeout(sqe, &worker->renewal, 0, 0);
    ring_tag(sqe, ON_RENEWAL, NULL);
    worker->renewal_armed = true;
}

static void accepted(struct worker *worker, const struct io_uring_cqe *cqe)
{
    if (!(cqe->flags & IORING_CQE_F_MORE))
        worker->accept_armed = false;
    if (cqe->res >= 0) {
        ADD(worker->counters.accepted, 1);
        if (worker->plan->on[ACCEPT_RING_TRANSFER])
            ring_begin(worker, cqe->res, worker->plan->on[ACCEPT_DIRECT_DESCRIPTORS]);
        else
            calls_begin(worker, cqe->res);
    } else if (descriptors_exhausted(-cqe->res)) {
        /* With a full direct table the kernel has taken the connection already and drops it. */
        if (worker->plan->on[ACCEPT_DIRECT_DESCRIPTORS])
            ADD(worker->counters.refused, 1);
        worker->starved = true;
        worker->closes_when_starved = worker->closes;
    } else if (cqe->res == -EINVAL || cqe->res == -EBADF || cqe->res == -ENOTSOCK) {
        snprintf(worker->fault, sizeof worker->fault, "accept failed: %s", strerror(-cqe->res));
        worker_stop(worker);
    }
}

static void dispatch(struct worker *worker, const struct io_uring_cqe *cqe)
{
    enum request_kind kind = cqe->user_data & KIND_MASK;
    if (cqe->user_data == LIBURING_UDATA_TIMEOUT)
        return;
    switch (kind) {
    case ON_ACCEPT:
        accepted(worker, cqe);
        break;
    case ON_WAKE:
        worker_stop(worker);
        break;
    case ON_TIMER:
        worker->timer_armed = false;
        worker_expire(worker);
        break;
    case ON_PAUSE:
        worker->pause_armed = worker->starved = false;
        break;
    case ON_RENEWAL:
        worker->renewal_armed = false;
        ring_renew(worker);
        break;
    case ON_EPOLL:
        worker->epoll_armed = false;
        calls_poll(worker, 0);
        break;
    case ON_CANCEL:
        break;
    default:
        ring_completed(worker, kind, (struct connection *)(uintptr_t)(cqe->user_data & ~(uint64_t)KIND_MASK), cqe->res);
    }
}

/* Decides after each round whether accepting goes on, and arms what has to be armed. */
static void settle(struct worker *worker)
{
    if (worker->stopping) {
        cancel_accept(worker);
    } else if (worker->accept_armed) {
        if (worker->accept_multishot && worker->live > worker->capacity / 2)
            cancel_accept(worker);
    } else if (worker_may_accept(worker)) {
        arm_accept(worker);
    } else if (!worker->pause_armed) {
        arm_pause(worker);
    }
    if (worker->deadlines.oldest && !worker->timer_armed)
        arm_timer(worker);
    if (worker->plan->on[ACCEPT_RENEW_PENDING] && worker->deadlines.oldest && !worker->renewal_armed)
        arm_renewal(worker);
    if (worker->slow && !worker->epoll_armed) {
        arm_poll(worker, worker->epoll, ON_EPOLL);
        worker->epoll_armed = true;
    }
}

static int ring_open(struct worker *worker)
{
    const struct plan *plan = worker->plan;
    unsigned flags = plan->on[ACCEPT_DEFER_TASKRUN] ? IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN
                     : plan->coop_taskrun           ? IORING_SETUP_COOP_TASKRUN
                                                    : 0;
    int result = ring_init_sized(&worker->ring, worker->options.ring_entries, flags);
    if (result < 0) {
        snprintf(worker->fault, sizeof worker->fault, "cannot create a ring: %s", strerror(-result));
        return -1;
    }
    worker->ring_open = true;
    if (plan->on[ACCEPT_DIRECT_DESCRIPTORS]) {
        result = io_uring_register_files_sparse(&worker->ring, worker->options.table_entries);
        if (result < 0) {
            snprintf(worker->fault, sizeof worker->fault,
                     "cannot register a table of %u direct descriptors: %s; make it smaller or raise the limit of open files",
                     worker->options.table_entries, strerror(-result));
            return -1;
        }
    }
    io_uring_register_ring_fd(&worker->ring); /* saves a lookup per enter where the kernel has it (5.18) */
    return 0;
}

static void reap(struct worker *worker)
{
    struct io_uring_cqe *cqe;
    unsigned head, seen = 0;
    io_uring_for_each_cqe(&worker->ring, head, cqe) {
        if (!ring_has_room(worker))
            break; /* the rest next round */
        seen++;
        dispatch(worker, cqe);
    }
    io_uring_cq_advance(&worker->ring, seen);
    ADD(worker->counters.completions, seen);
}

/* Serves until told to stop and nothing is left to answer. */
int ring_serve(struct worker *worker)
{
    bool drained = false;
    int result = ring_open(worker);
    if (result == 0)
        arm_poll(worker, worker->wake, ON_WAKE);
    while (result == 0) {
        settle(worker);
        bool draining = worker->stopping && !worker->accept_armed && !drained;
        if (draining && (drained = worker_drain_backlog(worker))) {
            close(worker->listener);
            worker->listener = -1;
            continue;
        }
        if (drained && !worker->live)
            break;
        int submitted = io_uring_submit_and_wait(&worker->ring, draining ? 0 : 1);
        ADD(worker->counters.enters, 1);
        if (submitted < 0 && submitted != -EINTR && submitted != -EBUSY && submitted != -EAGAIN) {
            snprintf(worker->fault, sizeof worker->fault, "io_uring_enter failed: %s", strerror(-submitted));
            result = -1;
        }
        worker->now_ns = 0;
        if (worker->parted && !io_uring_sq_ready(&worker->ring))
            ring_consumed(worker);
        reap(worker);
    }
    if (worker->ring_open) {
        io_uring_submit(&worker->ring); /* the last closes */
        ring_consumed(worker);
        io_uring_queue_exit(&worker->ring);
    }
    return worker->fault[0] ? -1 : 0;
}
