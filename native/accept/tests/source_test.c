/* Source addresses: the same for the same seed, and never a pair twice. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../src/load/source.h"
#include "check.h"

enum { PAIRS = 40000 };

static struct sockaddr_storage server(const char *address) {
    struct sockaddr_storage storage;
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(8000)};
    inet_pton(AF_INET, address, &in.sin_addr);
    memset(&storage, 0, sizeof storage);
    memcpy(&storage, &in, sizeof in);
    return storage;
}

/* Binds one socket; address and port in one number, 0 on failure. */
static uint64_t pair(struct source *source) {
    struct sockaddr_in local;
    socklen_t length = sizeof local;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool bound = source_bind(source, fd) && getsockname(fd, (struct sockaddr *)&local, &length) == 0;
    close(fd);
    return bound ? (uint64_t)ntohl(local.sin_addr.s_addr) << 16 | ntohs(local.sin_port) : 0;
}

static void test_same_seed(void) {
    struct sockaddr_storage to = server("127.0.0.1");
    struct source first, second, other;
    source_begin(&first, 5, &to);
    source_begin(&second, 5, &to);
    source_begin(&other, 6, &to);
    int same = 0;
    for (int i = 0; i < 100; i++) {
        uint64_t got = pair(&first);
        CHECK(got != 0);
        CHECK_EQUAL(pair(&second), got);
        same += pair(&other) == got;
    }
    CHECK_EQUAL(same, 0);
}

static int ascending(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void test_no_pair_twice(void) {
    static uint64_t pairs[PAIRS];
    struct sockaddr_storage to = server("127.0.0.1");
    struct source source;
    source_begin(&source, 1, &to);
    for (int i = 0; i < PAIRS; i++) {
        pairs[i] = pair(&source);
        CHECK(pairs[i] >> 40 == 127);
        CHECK((pairs[i] & 0xffff) >= 16384 && (pairs[i] & 0xffff) < 32768);
    }
    qsort(pairs, PAIRS, sizeof *pairs, ascending);
    for (int i = 1; i < PAIRS; i++)
        CHECK(pairs[i] != pairs[i - 1]);
}

static void test_taken_port_is_skipped(void) {
    struct sockaddr_storage to = server("127.0.0.1");
    struct source probe, source;
    source_begin(&probe, 9, &to);
    source = probe;
    struct sockaddr_in local = probe.next;
    local.sin_addr.s_addr = htonl(INADDR_ANY);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(listener, (struct sockaddr *)&local, sizeof local) == 0 && listen(listener, 1) == 0);
    uint64_t got = pair(&source);
    close(listener);
    CHECK(got != 0);
    CHECK((got & 0xffff) != ntohs(local.sin_port));
}

static void test_other_networks_are_not_bound(void) {
    struct sockaddr_storage to = server("10.0.0.1");
    struct source source;
    source_begin(&source, 1, &to);
    CHECK(!source.used);
}

int main(void) {
    check_run("source: the same pairs for the same seed, others for another", test_same_seed);
    check_run("source: no pair twice in 40000", test_no_pair_twice);
    check_run("source: a port that is taken is skipped", test_taken_port_is_skipped);
    check_run("source: only loopback is bound", test_other_networks_are_not_bound);
    return check_finish();
}
