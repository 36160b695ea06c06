/*
 * What both loops, with a ring and without, do alike: expire, shed, and empty the accept queue before a stop.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

#include "internal.h"

enum { SHED_AT_ONCE = 64 };

static void expire(struct worker *worker, struct connection *connection)
{
    deadline_stop(worker, connection);
    if (worker->plan->on[ACCEPT_RING_TRANSFER])
        ring_expire(worker, connection);
    else
        calls_expire(worker, connection);
}

/* When something is next to be given up; 0 for never. */
uint64_t worker_next_deadline(const struct worker *worker)
{
    const struct connection *oldest = worker->deadlines.oldest;
    if (!oldest)
        return 0;
    uint64_t drain = worker->drain_deadline_ns;
    return drain && drain < oldest->deadline_ns ? drain : oldest->deadline_ns;
}

void worker_stop(struct worker *worker)
{
    if (worker->stopping)
        return;
    worker->stopping = true;
    worker->drain_deadline_ns = worker_now(worker) + worker->options.drain_ms * 1000000ull;
    worker->timer_armed = false; /* the one that is may be later than this */
}

/* Gives up every connection past its deadline, as far as there is room for the requests it takes. */
void worker_expire(struct worker *worker)
{
    struct connection *oldest;
    while ((oldest = worker->deadlines.oldest) && worker_next_deadline(worker) <= worker_now(worker) && ring_has_room(worker)) {
        ADD(worker->counters.timed_out, 1);
        expire(worker, oldest);
    }
}

/* Makes room at the expense of those that have waited longest, sparing any that have only just come. */
static void shed(struct worker *worker)
{
    uint64_t timeout_ns = worker->options.timeout_ms * 1000000ull;
    for (int i = 0; i < SHED_AT_ONCE; i++) {
        struct connection *oldest = worker->deadlines.oldest;
        if (!oldest || worker_now(worker) + timeout_ns < oldest->deadline_ns + SHED_AGE_NS)
            return;
        ADD(worker->counters.refused, 1);
        expire(worker, oldest);
    }
}

/* False when accepting must pause: no room, or no descriptors and none given back since. Sheds once per pause. */
bool worker_may_accept(struct worker *worker)
{
    bool full = worker->live >= worker->capacity;
    bool starved = worker->starved && worker->closes == worker->closes_when_starved;
    if ((full || starved) && !worker->pause_armed) {
        shed(worker);
        full = worker->live >= worker->capacity;
        starved = starved && worker->closes == worker->closes_when_starved;
    }
    if (full || starved)
        return false;
    worker->starved = false;
    return true;
}

/*
 * Takes what has already connected, so that closing the listener resets nobody. One queue's worth: arrivals may never end.
 * False when it is to be called again, for want of room in the ring.
 */
bool worker_drain_backlog(struct worker *worker)
{
    fcntl(worker->listener, F_SETFL, O_NONBLOCK);
    for (; worker->drained_connections <= worker->options.backlog; worker->drained_connections++) {
        if (!ring_has_room(worker))
            return false;
        int fd = accept4(worker->listener, NULL, NULL, SOCK_CLOEXEC);
        ADD(worker->counters.system_calls, 1);
        if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (fd < 0)
            return true;
        ADD(worker->counters.accepted, 1);
        if (worker->plan->on[ACCEPT_RING_TRANSFER])
            ring_begin(worker, fd, false);
        else
            calls_begin(worker, fd);
    }
    return true;
}
