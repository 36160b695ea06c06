/*
 * The library's face: one pinned loop per core, each with a listener of its own on the shared port (SO_REUSEPORT).
 * Any kernel; try it: accept-engine --cores 2.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

enum { LOOPS_LIMIT = 1024 };

struct accept_engine {
    struct plan plan;
    unsigned loops;
    uint16_t port;
    char fault[256];
    struct worker workers[];
};

struct accept_options accept_options_default(void)
{
    return (struct accept_options){
        .address = "127.0.0.1",
        .cores = 1,
        .configuration = ACCEPT_ENGINE,
        .table_entries = 4096,
        .freelist_entries = 128,
        .ring_entries = 4096,
        .connections_limit = 16384,
        .backlog = 4096,
        .timeout_ms = 15000,
        .drain_ms = 5000,
        .request_bytes_limit = 4096,
    };
}

/* The n-th core this process may use, wrapping around. */
static int nth_core(unsigned n)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) < 0)
        return -1;
    n %= (unsigned)CPU_COUNT(&allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && n-- == 0)
            return cpu;
    return -1;
}

static int worker_init(struct accept_engine *engine, unsigned index, const struct accept_options *options,
                       const struct accept_handler *handler, char *fault, size_t fault_bytes)
{
    struct worker *worker = &engine->workers[index];
    struct rlimit files;
    worker->engine = engine;
    worker->plan = &engine->plan;
    worker->handler = *handler;
    worker->options = *options;
    worker->capacity = options->connections_limit;
    if (engine->plan.on[ACCEPT_DIRECT_DESCRIPTORS]) {
        worker->capacity = options->table_entries < worker->capacity ? options->table_entries : worker->capacity;
        /* A burst that fits half the table never meets it full. */
        if (worker->options.backlog > worker->capacity / 2 + 1)
            worker->options.backlog = worker->capacity / 2 + 1;
        /* The table may not be larger than the limit of open files. */
        if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < options->table_entries && files.rlim_cur < files.rlim_max) {
            files.rlim_cur = files.rlim_max;
            setrlimit(RLIMIT_NOFILE, &files);
        }
    }
    worker->cpu = nth_core(index);
    worker->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    worker->listener = listener_open(&worker->options, &engine->plan, &engine->port, fault, fault_bytes);
    if (worker->listener < 0)
        return -1;
    pool_init(&worker->pool, engine->plan.on[ACCEPT_FREELIST] ? options->freelist_entries : 0, options->request_bytes_limit);
    if (worker->wake < 0 || calls_open(worker) < 0) {
        snprintf(fault, fault_bytes, "cannot set up a loop: %s", strerror(errno));
        return -1;
    }
    return 0;
}

static bool options_valid(const struct accept_options *options, char *fault, size_t fault_bytes)
{
    const char *wrong = options->cores < 1 || options->cores > LOOPS_LIMIT ? "cores must be 1 to 1024"
                        : options->table_entries < 1                      ? "the table needs at least one entry"
                        : options->ring_entries < 16                       ? "the ring needs at least 16 entries"
                        : options->ring_entries > 32768                   ? "the ring may have at most 32768 entries"
                        : options->connections_limit < 1                  ? "the limit of connections must be at least 1"
                        : options->backlog < 1                            ? "the backlog must be at least 1"
                        : options->timeout_ms < 1                         ? "the timeout must be at least 1 ms"
                        : options->request_bytes_limit < 1                ? "the request limit must be at least 1 byte"
                                                                          : NULL;
    if (wrong)
        snprintf(fault, fault_bytes, "%s", wrong);
    return !wrong;
}

struct accept_engine *accept_engine_open(const struct accept_options *options, const struct accept_handler *handler,
                                         char *fault, size_t fault_bytes)
{
    struct probe probe;
    if (!options_valid(options, fault, fault_bytes) || (options->port && port_taken(options, fault, fault_bytes)))
        return NULL;
    struct accept_engine *engine = calloc(1, sizeof *engine + options->cores * sizeof engine->workers[0]);
    if (!engine) {
        snprintf(fault, fault_bytes, "no memory for %u loops", options->cores);
        return NULL;
    }
    engine->loops = options->cores;
    engine->port = options->port;
    for (unsigned i = 0; i < engine->loops; i++)
        engine->workers[i].listener = engine->workers[i].wake = engine->workers[i].epoll = -1;
    probe_kernel(&probe, options->without);
    int result = plan_make(&engine->plan, options, handler, &probe, fault, fault_bytes);
    for (unsigned i = 0; result == 0 && i < engine->loops; i++) {
        struct accept_options own = *options;
        own.port = engine->port;
        result = worker_init(engine, i, &own, handler, fault, fault_bytes);
    }
    if (result == 0)
        return engine;
    accept_engine_close(engine);
    return NULL;
}

static void *serve(void *argument)
{
    struct worker *worker = argument;
    cpu_set_t own;
    CPU_ZERO(&own);
    if (worker->cpu >= 0) {
        CPU_SET(worker->cpu, &own);
        sched_setaffinity(0, sizeof own, &own);
    }
    /* By number: musl refuses to wrap these. A policy someone else chose is left alone. */
    if (worker->plan->on[ACCEPT_BATCH_SCHEDULING] && syscall(SYS_sched_getscheduler, 0) == SCHED_OTHER) {
        struct sched_param parameter = {0};
        syscall(SYS_sched_setscheduler, 0, SCHED_BATCH, &parameter);
    }
    int result = worker->plan->ring_accept ? ring_serve(worker) : calls_serve(worker);
    if (result < 0)
        accept_engine_stop(worker->engine);
    return NULL;
}

int accept_engine_run(struct accept_engine *engine)
{
    unsigned started = 1;
    for (; started < engine->loops; started++)
        if (pthread_create(&engine->workers[started].thread, NULL, serve, &engine->workers[started])) {
            snprintf(engine->fault, sizeof engine->fault, "cannot start loop %u", started);
            accept_engine_stop(engine);
            break;
        }
    serve(&engine->workers[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(engine->workers[i].thread, NULL);
    for (unsigned i = 0; i < engine->loops && !engine->fault[0]; i++)
        memcpy(engine->fault, engine->workers[i].fault, sizeof engine->fault);
    return engine->fault[0] ? -1 : 0;
}

void accept_engine_stop(struct accept_engine *engine)
{
    int saved = errno;
    for (unsigned i = 0; i < engine->loops; i++) {
        uint64_t one = 1;
        if (write(engine->workers[i].wake, &one, sizeof one) < 0)
            continue; /* already told */
    }
    errno = saved;
}

void accept_engine_close(struct accept_engine *engine)
{
    for (unsigned i = 0; i < engine->loops; i++) {
        struct worker *worker = &engine->workers[i];
        if (worker->listener >= 0)
            close(worker->listener);
        if (worker->wake >= 0)
            close(worker->wake);
        calls_close(worker);
        pool_free(&worker->pool);
    }
    free(engine);
}

uint16_t accept_engine_port(const struct accept_engine *engine) { return engine->port; }
const char *accept_engine_path(const struct accept_engine *engine) { return engine->plan.path; }
const char *accept_engine_fault(const struct accept_engine *engine) { return engine->fault; }

struct accept_counters accept_engine_counters(const struct accept_engine *engine)
{
    struct accept_counters sum = {0};
    for (unsigned i = 0; i < engine->loops; i++) {
        const uint64_t *one = (const uint64_t *)&engine->workers[i].counters;
        uint64_t *all = (uint64_t *)&sum;
        for (size_t field = 0; field < sizeof sum / sizeof *all; field++)
            all[field] += __atomic_load_n(&one[field], __ATOMIC_RELAXED);
    }
    sum.system_calls += sum.enters;
    return sum;
}
