/* The loader of the accept experiment: warms the server up, opens a window, makes exactly N connections, closes it and
 * prints one JSON line. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "load/client.h"
#include "load/counters.h"
#include "options.h"

struct request {
    uint64_t port, connections, warmup, in_flight, silent, silent_settle_ms, settle_ms, server_pid, seed, timeout_ms,
        split_ms, slow_read_ms;
    const char *address;
};

struct reading {
    int64_t server_cpu_ns, segments, own_cpu_ns;
};

/*
 * The emulated meter finds these two by name and counts between them. They differ in what they store, lest a linker
 * fold them into one.
 */
static volatile int window;
void nullius_window_open(void);
void nullius_window_close(void);

__attribute__((noinline, used)) void nullius_window_open(void) {
    window = 1;
}
__attribute__((noinline, used)) void nullius_window_close(void) {
    window = 2;
}

static void sleep_ms(uint64_t milliseconds) {
    struct timespec left = {.tv_sec = (time_t)(milliseconds / 1000), .tv_nsec = (long)(milliseconds % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

static struct request read_request(int count, char **arguments) {
    struct request request = {.connections = 6144,
                              .warmup = 2048,
                              .in_flight = 512,
                              .silent_settle_ms = 1500,
                              .settle_ms = 10,
                              .timeout_ms = 10000,
                              .address = "127.0.0.1"};
    const struct option_of_program options[] = {
        {"port", &request.port, 1, UINT16_MAX, NULL},
        {"address", NULL, 0, 0, &request.address},
        {"connections", &request.connections, 1, UINT64_C(1000000000), NULL},
        {"warmup", &request.warmup, 0, UINT64_C(1000000000), NULL},
        {"in-flight", &request.in_flight, 1, 65536, NULL},
        {"silent", &request.silent, 0, 65536, NULL},
        {"silent-settle-ms", &request.silent_settle_ms, 0, 600000, NULL},
        {"settle-ms", &request.settle_ms, 0, 10000, NULL},
        {"server-pid", &request.server_pid, 1, INT32_MAX, NULL},
        {"seed", &request.seed, 0, UINT64_MAX, NULL},
        {"timeout-ms", &request.timeout_ms, 1, 600000, NULL},
        {"split-ms", &request.split_ms, 0, 60000, NULL},
        {"slow-read-ms", &request.slow_read_ms, 0, 60000, NULL},
        {0},
    };
    options_read(count, arguments, options);
    if (request.port == 0) {
        fprintf(stderr, "accept-load: --port is needed\n");
        exit(2);
    }
    return request;
}

static void reserve_descriptors(const struct request *request) {
    struct rlimit limit;
    uint64_t needed = request->in_flight + request->silent + 16;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < needed) {
        fprintf(stderr,
                "accept-load: %" PRIu64 " descriptors are needed and the limit is %" PRIu64
                ": raise `ulimit -Hn` or lower --in-flight\n",
                needed, (uint64_t)limit.rlim_cur);
        exit(1);
    }
}

static struct client *make_client(const struct request *request) {
    struct client_options options = {
        .in_flight = (uint32_t)request->in_flight,
        .timeout_ns = request->timeout_ms * 1000000,
        .split_ns = request->split_ms * 1000000,
        .slow_read_ns = request->slow_read_ms * 1000000,
        .seed = request->seed,
    };
    options.server_length = options_address(request->address, (uint16_t)request->port, &options.server);
    struct client *client = client_create(&options);
    if (client == NULL) {
        fprintf(stderr, "accept-load: cannot prepare %" PRIu64 " connections: %s\n", request->in_flight,
                strerror(errno));
        exit(1);
    }
    return client;
}

static struct reading read_counters(const struct request *request) {
    struct reading reading;
    /* Own time first on closing, last on opening, so that reading /proc is not in it: the caller fills it in. */
    reading.server_cpu_ns = request->server_pid ? counters_process_cpu_ns((pid_t)request->server_pid) : -1;
    reading.segments = counters_segments_out();
    reading.own_cpu_ns = 0;
    return reading;
}

static uint64_t failed_in(const struct client_tally *tally) {
    uint64_t failed = 0;
    for (int kind = 0; kind < CLIENT_FAILURES; kind++)
        failed += tally->failures[kind];
    return failed;
}

static void print_difference(const char *name, int64_t before, int64_t after) {
    /* What could not be read is left out rather than given as 0. */
    if (before >= 0 && after >= 0)
        printf("\"%s\":%" PRId64 ",", name, after - before);
}

static void print_latency(const struct histogram *latency) {
    printf("\"latency_ns\":{\"min\":%" PRIu64 ",\"p50\":%" PRIu64 ",\"p99\":%" PRIu64 ",\"p999\":%" PRIu64
           ",\"max\":%" PRIu64 "}",
           latency->total ? latency->lowest : 0, histogram_quantile(latency, 0.5), histogram_quantile(latency, 0.99),
           histogram_quantile(latency, 0.999), latency->highest);
    char *encoded = histogram_encode(latency);
    if (encoded != NULL)
        printf(",\"histogram\":\"%s\"", encoded);
    free(encoded);
}

static void print_failures(const struct client_tally *tally) {
    printf("\"failures\":{");
    const char *separator = "";
    for (int kind = 0; kind < CLIENT_FAILURES; kind++)
        if (tally->failures[kind] > 0) {
            printf("%s\"%s\":%" PRIu64, separator, client_failure_names[kind], tally->failures[kind]);
            separator = ",";
        }
    printf("},");
}

int main(int count, char **arguments) {
    static struct client_tally tally;
    struct request request = read_request(count, arguments);
    reserve_descriptors(&request);
    struct client *client = make_client(&request);
    if (request.silent > 0) {
        client_open_silent(client, (uint32_t)request.silent);
        sleep_ms(request.silent_settle_ms);
    }
    client_run(client, request.warmup, &tally);
    uint64_t warmup_failed = failed_in(&tally);

    /* The client sees the end of a connection before the server has closed it: let the server finish, before and after.
     */
    sleep_ms(request.settle_ms);
    struct reading before = read_counters(&request);
    before.own_cpu_ns = counters_own_cpu_ns();
    nullius_window_open();
    uint64_t opened_ns = client_now_ns();
    client_run(client, request.connections, &tally);
    sleep_ms(request.settle_ms);
    nullius_window_close();
    int64_t own_cpu_ns = counters_own_cpu_ns();
    struct reading after = read_counters(&request);
    after.own_cpu_ns = own_cpu_ns;

    printf("{\"completed\":%" PRIu64 ",\"failed\":%" PRIu64 ",", tally.completed, failed_in(&tally));
    print_failures(&tally);
    printf("\"warmup_failed\":%" PRIu64 ",\"window_ns\":%" PRIu64 ",", warmup_failed, tally.ended_ns - opened_ns);
    print_difference("loader_cpu_ns", before.own_cpu_ns, after.own_cpu_ns);
    print_difference("server_cpu_ns", before.server_cpu_ns, after.server_cpu_ns);
    print_difference("segments", before.segments, after.segments);
    printf("\"silent_open\":%" PRIu32 ",", client_silent_open(client));
    print_latency(&tally.latency_ns);
    printf("}\n");
    client_destroy(client);
    return fflush(stdout) == 0 ? 0 : 1;
}
