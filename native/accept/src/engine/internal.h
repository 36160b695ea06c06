/* What the engine's files share: the resolved plan, a worker, a connection. Not for users of the library. */
#ifndef ACCEPT_ENGINE_INTERNAL_H
#define ACCEPT_ENGINE_INTERNAL_H

#include <fcntl.h>
#include <liburing.h>
#include <pthread.h>
#include <signal.h>

#include "accept_engine.h"

/* What the kernel answered when each feature was tried. */
struct probe {
    bool has[ACCEPT_FEATURES];
    int error[ACCEPT_FEATURES]; /* errno of the failed trial; 0 with has == false: pretended, or not needed to try */
    bool pretended[ACCEPT_FEATURES];
};

/* Options and kernel brought together: what is done, and the sentence that says so. */
struct plan {
    bool on[ACCEPT_TECHNIQUES];
    bool ring_accept; /* accept by io_uring, otherwise bursts of accept4 under epoll */
    bool coop_taskrun;
    char path[1024];
};

enum connection_state { READING, SENDING, LINGERING, CLOSING };

/* Replies up to this size always fit the send buffer of a fresh socket (SOCK_MIN_SNDBUF is 4,608), so sending cannot block. */
enum { SMALL_REPLY_BYTES = 2048, BUILT_IN_REPLY_BYTES = 256 };
/* A connection must have waited this long before it is shed to make room; accepting pauses this long when nothing can be. */
#define SHED_AGE_NS 250000000ull
#define PAUSE_NS 10000000ull
/*
 * Until 6.12 the kernel releases direct descriptors in the order of their closing, none before the requests that were pending then
 * are over: one silent client holds back every later close, for as long as it is silent. Calling its recv back and queueing it
 * again lets go what has gathered, this often; so the published set falls behind but does not stop.
 */
#define RENEWAL_NS 200000000ull

struct connection {
    _Alignas(16) struct connection *next; /* in the deadline queue, the parted list or the freelist */
    struct connection *previous;
    uint64_t deadline_ns;
    int fd;
    uint8_t state;
    uint8_t pending; /* completions still to come of requests queued together */
    bool fixed;      /* fd is an index into the ring's table */
    bool queued;     /* in the deadline queue */
    bool expired;
    bool unread; /* input may be left in the socket: closing at once would reset the reply away */
    bool closed;
    bool failed;
    int received_ahead; /* what a chain's recv gave */
    size_t received;
    size_t sent;
    struct accept_reply reply;
    char built_in_reply[BUILT_IN_REPLY_BYTES];
    char request[];
};

/* All deadlines lie the same time ahead, so the queue is a FIFO: the oldest connection is always first. */
struct deadlines {
    struct connection *oldest;
    struct connection *newest;
};

struct pool {
    struct connection *free;
    unsigned free_count;
    unsigned keep;
    size_t connection_bytes;
};

struct accept_engine;

struct worker {
    struct accept_engine *engine;
    const struct plan *plan;
    struct accept_handler handler;
    struct accept_options options;
    int listener;
    int wake; /* eventfd that accept_engine_stop() writes */
    int cpu;
    pthread_t thread;
    char fault[256];

    struct pool pool;
    struct deadlines deadlines;
    unsigned live;     /* connections held */
    unsigned capacity; /* connections that may be held */
    uint64_t closes;   /* connections given up so far */
    uint64_t closes_when_starved;
    uint64_t now_ns; /* of this round; 0 until asked */
    bool stopping;
    uint64_t drain_deadline_ns; /* 0 until stopping */
    unsigned drained_connections;
    bool starved; /* accepting failed for want of descriptors */

    struct io_uring ring;
    bool ring_open;
    bool accept_armed;
    bool accept_multishot;
    bool accept_cancelled;
    bool timer_armed;
    bool pause_armed;
    bool renewal_armed;
    bool listener_unwatched;
    uint64_t pause_end_ns; /* without a ring */
    bool epoll_armed;
    struct __kernel_timespec timer;
    struct __kernel_timespec pause;
    struct __kernel_timespec renewal;
    struct connection *parted; /* answered and closed in this submission; reusable once the kernel has consumed it */

    int epoll; /* of slow connections served by system calls */
    unsigned slow;
    char *scratch; /* a request being read by system calls */
    struct accept_reply reply;

    struct accept_counters counters;
};

/* A counter has one writer; readers on other threads see whole values. */
#define ADD(counter, n) __atomic_store_n(&(counter), (counter) + (n), __ATOMIC_RELAXED)

/* probe.c */
void probe_kernel(struct probe *probe, uint32_t without);
int ring_init_sized(struct io_uring *ring, unsigned entries, unsigned flags);

/* plan.c */
int plan_make(struct plan *plan, const struct accept_options *options, const struct accept_handler *handler,
              const struct probe *probe, char *fault, size_t fault_bytes);

/* listener.c */
int listener_open(const struct accept_options *options, const struct plan *plan, uint16_t *port, char *fault,
                  size_t fault_bytes);
bool port_taken(const struct accept_options *options, char *fault, size_t fault_bytes);

/* connection.c */
void pool_init(struct pool *pool, unsigned keep, size_t request_bytes_limit);
void pool_free(struct pool *pool);
struct connection *connection_take(struct worker *worker, int fd, bool fixed);
void connection_release(struct worker *worker, struct connection *connection);
void deadline_start(struct worker *worker, struct connection *connection);
void deadline_stop(struct worker *worker, struct connection *connection);
uint64_t worker_now(struct worker *worker);
size_t request_end(const struct worker *worker, const char *bytes, size_t length);
void request_answer(const struct worker *worker, const char *request, size_t length, struct accept_reply *reply);
bool descriptors_exhausted(int error);

/* ring.c: accept, timers and wake-up by ring */
enum request_kind {
    ON_ACCEPT, ON_WAKE, ON_TIMER, ON_PAUSE, ON_CANCEL, ON_EPOLL, ON_RECV, ON_SEND, ON_CLOSE, ON_PARTED, ON_SHUTDOWN,
    ON_RENEWAL
};
int ring_serve(struct worker *worker);
struct io_uring_sqe *ring_request(struct worker *worker, unsigned room);
bool ring_has_room(struct worker *worker);
void ring_tag(struct io_uring_sqe *sqe, enum request_kind kind, struct connection *connection);

/* ring_transfer.c: recv, send and close by ring */
void ring_begin(struct worker *worker, int fd, bool fixed);
void ring_completed(struct worker *worker, enum request_kind kind, struct connection *connection, int result);
void ring_expire(struct worker *worker, struct connection *connection);
void ring_renew(struct worker *worker);
void ring_consumed(struct worker *worker);

/* calls.c: recv, send and close by system calls, slow connections under epoll */
int calls_open(struct worker *worker);
void calls_close(struct worker *worker);
void calls_begin(struct worker *worker, int fd);

bool calls_poll(struct worker *worker, int timeout_ms);
void calls_expire(struct worker *worker, struct connection *connection);

/* calls_accept.c: the loop without a ring */
int calls_serve(struct worker *worker);

/* worker.c */
void worker_expire(struct worker *worker);
uint64_t worker_next_deadline(const struct worker *worker);
void worker_stop(struct worker *worker);
bool worker_drain_backlog(struct worker *worker);
bool worker_may_accept(struct worker *worker);

#endif
