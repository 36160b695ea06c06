/* The controls under the contract: each program in turn, started as the runner starts it. */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../src/contract.h"
#include "../src/load/client.h"
#include "check.h"
#include "process.h"

enum { DEFER_MS = 1500 };

static struct client_tally tally;
static struct process server;

/* The program under test. */
static const char *program;
static bool has_timeouts;

static const char *const none[] = {NULL};

static struct client *client_to(const char *address, struct client_options options) {
    struct sockaddr_in *four = (struct sockaddr_in *)&options.server;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&options.server;
    if (inet_pton(AF_INET, address, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(server.port);
        options.server_length = sizeof *four;
    } else {
        inet_pton(AF_INET6, address, &six->sin6_addr);
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(server.port);
        options.server_length = sizeof *six;
    }
    options.timeout_ns = UINT64_C(30000000000);
    return client_create(&options);
}

static void load(const char *address, uint64_t connections, struct client_options options) {
    struct client *client = client_to(address, options);
    client_run(client, connections, &tally);
    client_destroy(client);
}

/* A plain blocking connection, reads bounded to 20 s. */
static int dial(void) {
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(server.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval limit = {.tv_sec = 20};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Reads to the end and closes: how many bytes came, -1 when it did not end well. */
static int64_t read_out(int fd, char *bytes, size_t size) {
    size_t received = 0;
    ssize_t got;
    while ((got = recv(fd, bytes + received, size - received, 0)) > 0)
        received += (size_t)got;
    close(fd);
    return got == 0 ? (int64_t)received : -1;
}

static bool answered(int fd) {
    char reply[64];
    return read_out(fd, reply, sizeof reply) == CONTRACT_REPLY_BYTES &&
           memcmp(reply, CONTRACT_REPLY, CONTRACT_REPLY_BYTES) == 0;
}

static void test_ten_thousand(void) {
    CHECK(process_serve(&server, program, none, 0));
    load("127.0.0.1", 10000, (struct client_options){.in_flight = 256});
    CHECK_EQUAL(process_stop(&server), 0);
    CHECK_EQUAL(tally.completed, 10000);
    CHECK_EQUAL(process_number(&server, "accepted"), 10000);
    CHECK_EQUAL(process_number(&server, "replied"), 10000);
}

static void test_six(void) {
    CHECK(process_serve(&server, program, (const char *[]){"--address", "::1", NULL}, 0));
    load("::1", 500, (struct client_options){.in_flight = 32});
    CHECK_EQUAL(process_stop(&server), 0);
    CHECK_EQUAL(tally.completed, 500);
}

static void test_split(void) {
    CHECK(process_serve(&server, program, none, 0));
    load("127.0.0.1", 400, (struct client_options){.in_flight = 40, .split_ns = 20000000});
    CHECK_EQUAL(process_stop(&server), 0);
    CHECK_EQUAL(tally.completed, 400);
}

/* Half a request at the pace of a byte in 5 ms, others whole in between. */
static void test_byte_by_byte(void) {
    CHECK(process_serve(&server, program, none, 0));
    int fd = dial();
    CHECK(fd >= 0);
    for (int i = 0; i < CONTRACT_REQUEST_BYTES; i++) {
        CHECK(send(fd, &CONTRACT_REQUEST[i], 1, MSG_NOSIGNAL) == 1);
        usleep(5000);
        if (i == CONTRACT_REQUEST_BYTES / 2)
            load("127.0.0.1", 50, (struct client_options){.in_flight = 8});
    }
    CHECK(answered(fd));
    CHECK_EQUAL(tally.completed, 50);
    CHECK_EQUAL(process_stop(&server), 0);
}

static void test_silent(void) {
    CHECK(process_serve(&server, program, none, 0));
    struct client *client = client_to("127.0.0.1", (struct client_options){.in_flight = 64});
    CHECK_EQUAL(client_open_silent(client, 100), 100);
    client_run(client, 500, &tally);
    usleep(DEFER_MS * 1000); /* until TCP_DEFER_ACCEPT hands them over */
    CHECK_EQUAL(tally.completed, 500);
    client_run(client, 2000, &tally);
    CHECK_EQUAL(tally.completed, 2000);
    CHECK_EQUAL(client_silent_open(client), 100);
    client_destroy(client);
    CHECK_EQUAL(process_stop(&server), 0);
}

static void test_drain(void) {
    CHECK(process_serve(&server, program, none, 0));
    int fd = dial();
    CHECK(fd >= 0 && send(fd, CONTRACT_REQUEST, 5, MSG_NOSIGNAL) == 5);
    usleep(100000);
    kill(server.pid, SIGTERM);
    usleep(100000);
    CHECK(send(fd, &CONTRACT_REQUEST[5], CONTRACT_REQUEST_BYTES - 5, MSG_NOSIGNAL) > 0);
    CHECK(answered(fd));
    CHECK_EQUAL(process_finish(&server), 0);
    CHECK_EQUAL(process_number(&server, "replied"), 1);
}

static void test_drain_is_bounded(void) {
    CHECK(process_serve(&server, program, none, 0));
    int fd = dial();
    CHECK(fd >= 0 && send(fd, CONTRACT_REQUEST, 5, MSG_NOSIGNAL) == 5);
    usleep(100000);
    CHECK_EQUAL(process_stop(&server), 0);
    close(fd);
    CHECK_EQUAL(process_number(&server, "accepted"), 1);
    CHECK_EQUAL(process_number(&server, "replied"), 0);
}

static void test_stop_while_idle(void) {
    CHECK(process_serve(&server, program, none, 0));
    CHECK_EQUAL(process_stop(&server), 0);
    CHECK_EQUAL(process_number(&server, "accepted"), 0);
    CHECK(strstr(server.output_text, "{\"path\":\"") == server.output_text);
    CHECK(strchr(server.output_text, '\n') == strrchr(server.output_text, '\n'));
}

static void test_endless_request(void) {
    char bytes[4 * CONTRACT_REQUEST_LIMIT];
    memset(bytes, 'x', sizeof bytes);
    CHECK(process_serve(&server, program, none, 0));
    int fd = dial();
    CHECK(fd >= 0 && send(fd, bytes, sizeof bytes, MSG_NOSIGNAL) > 0);
    char reply[64];
    CHECK(read_out(fd, reply, sizeof reply) <= 0);
    load("127.0.0.1", 50, (struct client_options){.in_flight = 8});
    CHECK_EQUAL(process_stop(&server), 0);
    CHECK_EQUAL(tally.completed, 50);
    CHECK_EQUAL(process_number(&server, "refused"), 1);
}

/* A client that leaves with half a request asked, one that leaves before the reply, one that resets. */
static void test_clients_that_leave(void) {
    CHECK(process_serve(&server, program, none, 0));
    for (int i = 0; i < 60; i++) {
        int fd = dial();
        CHECK(fd >= 0);
        size_t part = i % 3 == 0 ? 5 : CONTRACT_REQUEST_BYTES;
        CHECK(send(fd, CONTRACT_REQUEST, part, MSG_NOSIGNAL) == (ssize_t)part);
        struct linger now = {.l_onoff = i % 3 == 2};
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        close(fd);
    }
    load("127.0.0.1", 200, (struct client_options){.in_flight = 16});
    CHECK_EQUAL(process_stop(&server), 0);
    CHECK_EQUAL(tally.completed, 200);
}

static void test_bad_arguments(void) {
    CHECK(process_start(&server, program, none, 0));
    CHECK_EQUAL(process_finish(&server), 2);
    CHECK(process_start(&server, program, (const char *[]){"--port", "99999", NULL}, 0));
    CHECK_EQUAL(process_finish(&server), 2);
    CHECK(strstr(server.errors_text, "--port") != NULL);
}

static void test_port_in_use(void) {
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof local;
    char port[8];
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(listener, (struct sockaddr *)&local, length) == 0 && listen(listener, 1) == 0);
    getsockname(listener, (struct sockaddr *)&local, &length);
    snprintf(port, sizeof port, "%u", ntohs(local.sin_port));
    CHECK(process_start(&server, program, (const char *[]){"--port", port, NULL}, 0));
    int code = process_finish(&server);
    close(listener);
    CHECK_EQUAL(code, 1);
    CHECK(strstr(server.errors_text, port) != NULL);
    CHECK(strchr(server.errors_text, '\n') == strrchr(server.errors_text, '\n'));
}

static void test_timeout(void) {
    CHECK(process_serve(&server, program, (const char *[]){"--timeout-ms", "300", NULL}, 0));
    int fd = dial();
    char reply[64];
    CHECK(fd >= 0 && send(fd, CONTRACT_REQUEST, 5, MSG_NOSIGNAL) == 5);
    CHECK(read_out(fd, reply, sizeof reply) <= 0);
    CHECK_EQUAL(process_stop(&server), 0);
    CHECK_EQUAL(process_number(&server, "timed_out"), 1);
}

/* More connections than descriptors: they wait in the queue. */
static void test_few_descriptors(void) {
    CHECK(process_serve(&server, program, none, 24));
    load("127.0.0.1", 1000, (struct client_options){.in_flight = 100, .split_ns = 2000000});
    CHECK_EQUAL(process_stop(&server), 0);
    CHECK_EQUAL(tally.completed + process_number(&server, "refused"), 1000);
}

/* Slow clients hold every descriptor; one that asks properly is still served. */
static void test_slow_give_way(void) {
    int slow[40];
    CHECK(process_serve(&server, program, none, 24));
    for (int i = 0; i < 40; i++) {
        slow[i] = dial();
        CHECK(slow[i] >= 0 && send(slow[i], CONTRACT_REQUEST, 3, MSG_NOSIGNAL) == 3);
    }
    int fd = dial();
    CHECK(fd >= 0 && send(fd, CONTRACT_REQUEST, CONTRACT_REQUEST_BYTES, MSG_NOSIGNAL) > 0);
    CHECK(answered(fd));
    for (int i = 0; i < 40; i++)
        close(slow[i]);
    CHECK_EQUAL(process_stop(&server), 0);
    CHECK(process_number(&server, "refused") > 0);
}

static void run(const char *what, void (*test)(void)) {
    char name[128];
    snprintf(name, sizeof name, "%s: %s", program, what);
    check_run(name, test);
}

static void test_program(void) {
    run("10000 connections, none failed", test_ten_thousand);
    run("IPv6", test_six);
    run("split requests are answered when complete", test_split);
    run("a request byte by byte holds nobody up", test_byte_by_byte);
    run("a hundred silent clients survive and disturb nobody", test_silent);
    run("SIGTERM while idle: one JSON line", test_stop_while_idle);
    run("SIGTERM lets a half-sent request finish", test_drain);
    run("SIGTERM does not wait for ever", test_drain_is_bounded);
    run("an endless request is refused", test_endless_request);
    run("clients that leave harm nobody", test_clients_that_leave);
    run("bad arguments are refused", test_bad_arguments);
    run("a port in use is said in one sentence", test_port_in_use);
    if (!has_timeouts)
        return;
    run("a slow request times out", test_timeout);
    run("more connections than descriptors", test_few_descriptors);
    run("slow clients give way when descriptors run out", test_slow_give_way);
}

int main(int count, char **arguments) {
    const struct {
        const char *name;
        bool has_timeouts;
    } programs[] = {
        {"accept-epoll", true},
        {"accept-accept4", true},
        {"accept-vanilla", false},
        {"accept-go", false},
    };
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        program = programs[i].name;
        has_timeouts = programs[i].has_timeouts;
        /* With arguments, only those named. */
        bool wanted = count == 1;
        for (int j = 1; j < count; j++)
            wanted = wanted || strcmp(arguments[j], program) == 0;
        if (!wanted)
            continue;
        test_program();
    }
    return check_finish();
}
