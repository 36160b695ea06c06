/* The loader against servers that keep the contract and servers that break it. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../src/contract.h"
#include "../src/load/client.h"
#include "check.h"
#include "misbehaving.h"
#include "process.h"

static struct client_tally tally;

static struct client *client_for(uint16_t port, struct client_options options) {
    struct sockaddr_in server = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    memcpy(&options.server, &server, sizeof server);
    options.server_length = sizeof server;
    if (options.timeout_ns == 0)
        options.timeout_ns = UINT64_C(20000000000);
    return client_create(&options);
}

static uint64_t failures(void) {
    uint64_t sum = 0;
    for (int kind = 0; kind < CLIENT_FAILURES; kind++)
        sum += tally.failures[kind];
    return sum;
}

/* Makes `connections` to a server that misbehaves on every tenth. */
static bool run_against(enum misbehaviour misbehaviour, uint64_t connections, struct client_options options) {
    struct misbehaving server = {.misbehaviour = misbehaviour, .every = 10};
    if (!misbehaving_start(&server))
        return false;
    struct client *client = client_for(server.port, options);
    if (client != NULL) {
        client_run(client, connections, &tally);
        client_destroy(client);
    }
    misbehaving_stop(&server);
    return client != NULL && server.connections == connections;
}

static void tenth_fails_as(enum misbehaviour misbehaviour, enum client_failure failure, struct client_options options) {
    CHECK(run_against(misbehaviour, 200, options));
    CHECK_EQUAL(tally.failures[failure], 20);
    CHECK_EQUAL(failures(), 20);
    CHECK_EQUAL(tally.completed, 180);
    CHECK_EQUAL(tally.latency_ns.total, 180);
}

static const struct client_options plain = {.in_flight = 16};
static const struct client_options impatient = {.in_flight = 16, .timeout_ns = 1500000000};

static void test_wrong_byte(void) {
    tenth_fails_as(WRONG_BYTE, CLIENT_WRONG_REPLY, plain);
}
static void test_short_reply(void) {
    tenth_fails_as(SHORT_REPLY, CLIENT_SHORT_REPLY, plain);
}
static void test_long_reply(void) {
    tenth_fails_as(LONG_REPLY, CLIENT_LONG_REPLY, plain);
}
static void test_reset(void) {
    tenth_fails_as(RESET, CLIENT_RESET, plain);
}
static void test_no_reply(void) {
    tenth_fails_as(NO_REPLY, CLIENT_TIMED_OUT, impatient);
}
static void test_no_close(void) {
    tenth_fails_as(NO_CLOSE, CLIENT_TIMED_OUT, impatient);
}

/* The second half would be sent long after the answer has come. */
static void test_early_reply(void) {
    struct misbehaving server = {.misbehaviour = ANSWER_AT_FIRST_BYTE};
    CHECK(misbehaving_start(&server));
    struct client *client =
        client_for(server.port, (struct client_options){.in_flight = 5, .split_ns = UINT64_C(15000000000)});
    client_run(client, 50, &tally);
    client_destroy(client);
    misbehaving_stop(&server);
    CHECK_EQUAL(tally.failures[CLIENT_EARLY_REPLY], 50);
    CHECK_EQUAL(failures(), 50);
}

static void test_reply_in_two_segments(void) {
    CHECK(run_against(REPLY_IN_TWO, 200, plain));
    CHECK_EQUAL(tally.completed, 200);
}

static void test_slow_reader(void) {
    CHECK(run_against(REPLY_IN_TWO, 200, (struct client_options){.in_flight = 16, .slow_read_ns = 3000000}));
    CHECK_EQUAL(tally.completed, 200);
    /* 19 bytes by 7, then the end, a pause before each: four pauses at least. */
    CHECK(tally.latency_ns.lowest >= 4 * 3000000);
}

static void test_slow_reader_sees_wrong_byte(void) {
    tenth_fails_as(WRONG_BYTE, CLIENT_WRONG_REPLY, (struct client_options){.in_flight = 16, .slow_read_ns = 1000000});
}

static void test_exact_count(void) {
    const uint64_t counts[] = {1, 15, 16, 17, 1000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        CHECK(run_against(GOOD, counts[i], plain));
        CHECK_EQUAL(tally.completed, counts[i]);
        CHECK_EQUAL(failures(), 0);
    }
}

/* The server answers nobody before 24 wait, and looks whether a 25th comes. */
static void test_in_flight(void) {
    struct misbehaving server = {.gather = 24};
    CHECK(misbehaving_start(&server));
    struct client *client = client_for(server.port, (struct client_options){.in_flight = 24});
    client_run(client, 240, &tally);
    client_destroy(client);
    misbehaving_stop(&server);
    CHECK_EQUAL(tally.completed, 240);
    CHECK_EQUAL(server.more_than_gathered, 0);
}

static void test_split_request(void) {
    struct misbehaving server = {0};
    CHECK(misbehaving_start(&server));
    struct client *client = client_for(server.port, (struct client_options){.in_flight = 4, .split_ns = 20000000});
    client_run(client, 40, &tally);
    client_destroy(client);
    misbehaving_stop(&server);
    CHECK_EQUAL(tally.completed, 40);
    CHECK(server.split_requests > 0);
}

static void test_refused(void) {
    struct misbehaving server = {0};
    CHECK(misbehaving_start(&server));
    misbehaving_stop(&server);
    struct client *client = client_for(server.port, plain);
    client_run(client, 300, &tally);
    client_destroy(client);
    CHECK_EQUAL(tally.failures[CLIENT_REFUSED], 300);
    CHECK_EQUAL(tally.completed, 0);
}

static void test_runs_again_after_failures(void) {
    struct misbehaving server = {.misbehaviour = SHORT_REPLY, .every = 3};
    CHECK(misbehaving_start(&server));
    struct client *client = client_for(server.port, plain);
    for (int run = 0; run < 3; run++) {
        client_run(client, 60, &tally);
        CHECK_EQUAL(tally.completed, 40);
        CHECK_EQUAL(tally.failures[CLIENT_SHORT_REPLY], 20);
    }
    client_destroy(client);
    misbehaving_stop(&server);
}

/* A listener that accepts and then closes one of six and resets another. */
static void test_silent_connections(void) {
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof local;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(listener, (struct sockaddr *)&local, length) == 0 && listen(listener, 16) == 0);
    getsockname(listener, (struct sockaddr *)&local, &length);
    struct client *client = client_for(ntohs(local.sin_port), plain);
    CHECK_EQUAL(client_open_silent(client, 6), 6);
    int accepted[6];
    for (int i = 0; i < 6; i++)
        accepted[i] = accept(listener, NULL, NULL);
    CHECK_EQUAL(client_silent_open(client), 6);
    close(accepted[0]);
    struct linger now = {.l_onoff = 1};
    setsockopt(accepted[1], SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close(accepted[1]);
    usleep(20000);
    CHECK_EQUAL(client_silent_open(client), 4);
    client_destroy(client);
    for (int i = 2; i < 6; i++)
        close(accepted[i]);
    close(listener);
}

static int run_loader(struct process *process, const char *const arguments[]) {
    return process_start(process, "accept-load", arguments, 0) ? process_finish(process) : -1;
}

static struct process loader;

static void test_report(void) {
    struct misbehaving server = {.misbehaviour = WRONG_BYTE, .every = 10};
    char port[8], own[16];
    CHECK(misbehaving_start(&server));
    snprintf(port, sizeof port, "%u", server.port);
    snprintf(own, sizeof own, "%d", (int)getpid());
    int code = run_loader(&loader, (const char *[]){"--port", port, "--connections", "500", "--warmup", "100",
                                                    "--in-flight", "20", "--server-pid", own, "--seed", "7", NULL});
    misbehaving_stop(&server);
    CHECK_EQUAL(code, 0);
    CHECK_EQUAL(server.connections, 600);
    CHECK_EQUAL(process_number(&loader, "completed"), 450);
    CHECK_EQUAL(process_number(&loader, "failed"), 50);
    CHECK_EQUAL(process_number(&loader, "wrong_reply"), 50);
    CHECK_EQUAL(process_number(&loader, "warmup_failed"), 10);
    CHECK_EQUAL(process_number(&loader, "silent_open"), 0);
    CHECK(process_number(&loader, "window_ns") > 0);
    CHECK(process_number(&loader, "loader_cpu_ns") > 0);
    CHECK(process_number(&loader, "server_cpu_ns") >= 0);
    /* Three for the handshake, the request, the reply and at least one end of each side. */
    CHECK(process_number(&loader, "segments") >= 6 * 500);
    CHECK(process_number(&loader, "p99") >= process_number(&loader, "p50"));
    CHECK(process_number(&loader, "max") >= process_number(&loader, "p999"));
    CHECK(strstr(loader.output_text, "\"histogram\":\"HISTFA") != NULL);
    CHECK(strchr(loader.output_text, '\n') == strrchr(loader.output_text, '\n'));
}

static void test_unreadable_is_left_out(void) {
    /* The largest process id is above the kernel's limit. */
    CHECK_EQUAL(run_loader(&loader, (const char *[]){"--port", "1", "--connections", "3", "--warmup", "0",
                                                     "--server-pid", "2147483647", NULL}),
                0);
    CHECK_EQUAL(process_number(&loader, "refused"), 3);
    CHECK(strstr(loader.output_text, "server_cpu_ns") == NULL);
}

static void bad_arguments(const char *const arguments[], const char *word) {
    CHECK_EQUAL(run_loader(&loader, arguments), 2);
    CHECK(loader.output_text[0] == '\0');
    CHECK(strstr(loader.errors_text, word) != NULL);
}

static void test_bad_arguments(void) {
    bad_arguments((const char *[]){NULL}, "--port");
    bad_arguments((const char *[]){"--port", "70000", NULL}, "65535");
    bad_arguments((const char *[]){"--port", "-1", NULL}, "--port");
    bad_arguments((const char *[]){"--port", "80x", NULL}, "80x");
    bad_arguments((const char *[]){"--port", "80", "--in-flight", "0", NULL}, "--in-flight");
    bad_arguments((const char *[]){"--port", "80", "--connections", NULL}, "--connections");
    bad_arguments((const char *[]){"--port", "80", "--colour", "red", NULL}, "--colour");
    bad_arguments((const char *[]){"--port", "80", "--address", "localhost", NULL}, "localhost");
}

static void test_few_descriptors(void) {
    CHECK(process_start(&loader, "accept-load", (const char *[]){"--port", "80", "--in-flight", "512", NULL}, 64));
    CHECK_EQUAL(process_finish(&loader), 1);
    CHECK(strstr(loader.errors_text, "ulimit") != NULL);
}

int main(void) {
    check_run("load: exactly N connections, whatever the number in flight", test_exact_count);
    check_run("load: as many in flight as asked, never more", test_in_flight);
    check_run("load: a wrong byte is seen", test_wrong_byte);
    check_run("load: a short reply is seen", test_short_reply);
    check_run("load: a long reply is seen", test_long_reply);
    check_run("load: a reset is seen", test_reset);
    check_run("load: a reply that never comes times out", test_no_reply);
    check_run("load: a close that never comes times out", test_no_close);
    check_run("load: an answer to half a request is seen", test_early_reply);
    check_run("load: a reply in two segments is whole", test_reply_in_two_segments);
    check_run("load: a split request arrives split and is answered", test_split_request);
    check_run("load: a slow reader gets the whole reply", test_slow_reader);
    check_run("load: a slow reader sees a wrong byte", test_slow_reader_sees_wrong_byte);
    check_run("load: refused connections are counted", test_refused);
    check_run("load: the next run starts afresh", test_runs_again_after_failures);
    check_run("load: silent connections that were closed are noticed", test_silent_connections);
    check_run("load: the report has every field", test_report);
    check_run("load: what cannot be read is left out", test_unreadable_is_left_out);
    check_run("load: bad arguments are refused in one sentence", test_bad_arguments);
    check_run("load: too few descriptors are said", test_few_descriptors);
    return check_finish();
}
