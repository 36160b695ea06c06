#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BACKLOG = 4096, DEFER_ACCEPT_SECONDS = 1 };

static void refuse(const char *what, const char *address, uint64_t port) {
    fprintf(stderr, "cannot %s %s port %" PRIu64 ": %s\n", what, address, port, strerror(errno));
    exit(1);
}

static int open_listener(const char *address, uint64_t port, bool defer_accept) {
    struct sockaddr_storage local;
    socklen_t length = options_address(address, (uint16_t)port, &local);
    int yes = 1, seconds = DEFER_ACCEPT_SECONDS;
    int fd = socket(local.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        refuse("open a socket for", address, port);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (defer_accept && setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof seconds) != 0)
        refuse("set TCP_DEFER_ACCEPT on", address, port);
    if (bind(fd, (struct sockaddr *)&local, length) != 0)
        refuse("bind", address, port);
    if (listen(fd, BACKLOG) != 0)
        refuse("listen on", address, port);
    return fd;
}

static int block_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    int fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
    if (fd < 0) {
        fprintf(stderr, "cannot open a signalfd: %s\n", strerror(errno));
        exit(1);
    }
    return fd;
}

static void raise_descriptor_limit(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

struct server server_start_with(int count, char **arguments, bool defer_accept, const struct option_of_program *extra) {
    enum { OWN = 3, MOST = 8 };
    uint64_t port = UINT64_MAX;
    const char *address = "127.0.0.1";
    struct server server = {.timeout_ms = 30000};
    struct option_of_program options[MOST + 1] = {
        {"port", &port, 0, UINT16_MAX, NULL},
        {"address", NULL, 0, 0, &address},
        {"timeout-ms", &server.timeout_ms, 1, 3600000, NULL},
    };
    for (size_t i = 0; OWN + i < MOST && extra[i].name != NULL; i++)
        options[OWN + i] = extra[i];
    options_read(count, arguments, options);
    if (port == UINT64_MAX) {
        fprintf(stderr, "--port is needed\n");
        exit(2);
    }
    raise_descriptor_limit();
    server.signals = block_signals();
    server.listener = open_listener(address, port, defer_accept);
    return server;
}

struct server server_start(int count, char **arguments, bool defer_accept) {
    const struct option_of_program none[] = {{0}};
    return server_start_with(count, arguments, defer_accept, none);
}

void server_ready(const struct server *server) {
    struct sockaddr_storage local;
    socklen_t length = sizeof local;
    getsockname(server->listener, (struct sockaddr *)&local, &length);
    /* The port lies at the same place in both families. */
    fprintf(stderr, "listening %u\n", ntohs(((struct sockaddr_in *)&local)->sin_port));
}

int server_report(const char *path, const struct server_counters *counters) {
    const struct {
        const char *name;
        int64_t value;
    } all[] = {
        {"accepted", counters->accepted},
        {"replied", counters->replied},
        {"timed_out", counters->timed_out},
        {"refused", counters->refused},
        {"enters", counters->enters},
        {"completions", counters->completions},
        {"system_calls", counters->system_calls},
    };
    printf("{\"path\":\"%s\"", path);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].value >= 0)
            printf(",\"%s\":%" PRId64, all[i].name, all[i].value);
    printf("}\n");
    return fflush(stdout) == 0 ? 0 : 1;
}

uint64_t server_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
