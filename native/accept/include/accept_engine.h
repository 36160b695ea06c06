/*
 * The accept engine: a port and a request handler, one pinned accept loop per core.
 *
 * A connection carries one request and one reply, then the engine closes it. Give accept_engine_open() a handler, call
 * accept_engine_run(), and accept_engine_stop() (from a signal handler if you like) to drain and return. The techniques can
 * be switched one by one at run time, so that an ablation needs no second code base; the features of the kernel are found by
 * trying them, from Linux 5.10 on. Without io_uring the engine still serves, by plain system calls.
 */
#ifndef ACCEPT_ENGINE_H
#define ACCEPT_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What can be switched. The first six are the published techniques. */
enum accept_technique {
    ACCEPT_DEFER_TASKRUN,      /* IORING_SETUP_DEFER_TASKRUN with SINGLE_ISSUER: completions only when asked for (6.1) */
    ACCEPT_DIRECT_DESCRIPTORS, /* sockets live in the ring's registered table and never get a descriptor (5.19) */
    ACCEPT_MULTISHOT,          /* one accept request yields many connections (5.19) */
    ACCEPT_FREELIST,           /* connection objects are kept for reuse instead of malloc and free */
    ACCEPT_FUSE_FIN,           /* MSG_MORE holds the reply back until close, so that both leave in one segment */
    ACCEPT_SKIP_SUCCESS,       /* send and close report failures only (5.17) */
    ACCEPT_LINK_CHAIN,         /* recv, send and close queued at once as linked requests; needs a reply known beforehand */
    ACCEPT_DEFER_ACCEPT,       /* TCP_DEFER_ACCEPT: a connection reaches accept together with its request */
    ACCEPT_RING_TRANSFER,      /* recv, send and close by ring, otherwise by system calls */
    ACCEPT_BATCH_SCHEDULING,   /* SCHED_BATCH: a wake-up does not preempt the client in the middle of its burst */
    ACCEPT_RENEW_PENDING,      /* requests that pend on direct descriptors are renewed now and then, see RENEWAL_NS */
    ACCEPT_TECHNIQUES
};

/* What a kernel may lack. */
enum accept_feature {
    ACCEPT_HAS_RING,
    ACCEPT_HAS_SINGLE_ISSUER,
    ACCEPT_HAS_DEFER_TASKRUN,
    ACCEPT_HAS_COOP_TASKRUN,
    ACCEPT_HAS_MULTISHOT,
    ACCEPT_HAS_DIRECT,
    ACCEPT_HAS_SKIP_SUCCESS,
    ACCEPT_FEATURES
};

enum accept_configuration {
    ACCEPT_ENGINE,         /* the cheapest correct path for the kernel found */
    ACCEPT_SIX_TECHNIQUES, /* as published: the six on, everything by ring, TCP_DEFER_ACCEPT and the chain off */
    ACCEPT_CONFIGURATIONS
};

enum accept_choice { ACCEPT_AS_CONFIGURED, ACCEPT_OFF, ACCEPT_ON };

/* Start from accept_options_default(). */
struct accept_options {
    uint16_t port;       /* 0: any free one, see accept_engine_port() */
    const char *address; /* IPv4 or IPv6 literal */
    unsigned cores;      /* accept loops, each on a core of its own among those this process may use */
    enum accept_configuration configuration;
    enum accept_choice technique[ACCEPT_TECHNIQUES];
    uint32_t without;            /* bits (1u << enum accept_feature) that the kernel is pretended to lack */
    unsigned table_entries;      /* direct descriptors per loop */
    unsigned freelist_entries;   /* connection objects kept per loop */
    unsigned ring_entries;       /* requests a loop queues before it must enter the kernel: 16 to 32768, rounded up to a power of two */
    unsigned connections_limit;  /* connections a loop holds at a time; the oldest waiting one makes room */
    unsigned backlog;            /* listen(2) */
    uint32_t timeout_ms;         /* from accept to the last byte of the reply, whatever arrives in between */
    uint32_t drain_ms;           /* after a stop, what is not finished by then is given up */
    size_t request_bytes_limit;  /* a longer request is refused */
};

/* Where a handler writes its answer; belongs to one connection. */
struct accept_reply {
    char *bytes;
    size_t length;
    size_t capacity;
    char *grown; /* the engine's: heap memory once the built-in space was too small */
};

/* Room for at least `capacity` bytes at reply->bytes, what is there kept; NULL without memory. */
char *accept_reply_reserve(struct accept_reply *reply, size_t capacity);

struct accept_handler {
    /* Length of the request at the beginning of `bytes`, 0 while it is incomplete. NULL: up to and with the first blank line. */
    size_t (*complete)(void *context, const char *bytes, size_t length);
    /* Fills `reply` (length 0: close without a word). Called from every loop's thread. */
    void (*answer)(void *context, const char *request, size_t length, struct accept_reply *reply);
    void *context;
    size_t fixed_request_bytes; /* the length of every request, where it is always the same (for link-chain); else 0 */
    bool reply_ahead;           /* the reply does not depend on the request: answer() may be called with none */
};

struct accept_counters {
    uint64_t accepted;
    uint64_t replied;      /* replies handed to the kernel whole */
    uint64_t timed_out;
    uint64_t refused;      /* too long a request, shed for want of room, or the client left before asking */
    uint64_t failed;       /* the reply could not be sent */
    uint64_t enters;       /* io_uring_enter calls */
    uint64_t completions;  /* completion queue entries seen */
    uint64_t system_calls; /* all of the loops' system calls, enters included */
    uint64_t pauses;       /* times accepting was suspended for want of descriptors */
};

struct accept_engine;

struct accept_options accept_options_default(void);

/* NULL on failure, with one sentence in `fault`. The listeners are open when it returns. */
struct accept_engine *accept_engine_open(const struct accept_options *options, const struct accept_handler *handler,
                                         char *fault, size_t fault_bytes);
/* Serves until stopped and drained: 0, or -1 with one sentence from accept_engine_fault(). */
int accept_engine_run(struct accept_engine *engine);
/* Stop accepting, answer what is connected, then return from accept_engine_run(). Safe in a signal handler. */
void accept_engine_stop(struct accept_engine *engine);
void accept_engine_close(struct accept_engine *engine);

uint16_t accept_engine_port(const struct accept_engine *engine);
/* Which path the engine is on and why. */
const char *accept_engine_path(const struct accept_engine *engine);
const char *accept_engine_fault(const struct accept_engine *engine);
/* The sum over all loops; may be called while they run. */
struct accept_counters accept_engine_counters(const struct accept_engine *engine);

/* Names as on the command line: "skip-success", "multishot", "engine". Parsing returns -1 for an unknown name. */
const char *accept_technique_name(enum accept_technique technique);
const char *accept_feature_name(enum accept_feature feature);
const char *accept_configuration_name(enum accept_configuration configuration);
int accept_technique_parse(const char *name);
int accept_feature_parse(const char *name);
int accept_configuration_parse(const char *name);

#endif
