/* What the controls share: options, a listener, the `listening` line, SIGTERM and the JSON line at the end. */
#ifndef ACCEPT_SERVER_H
#define ACCEPT_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

struct server {
    int listener;
    /* A signalfd, readable once SIGTERM or SIGINT has arrived; both are blocked. */
    int signals;
    uint64_t timeout_ms;
};

/* Negative: this server has no such counter. */
struct server_counters {
    int64_t accepted, replied, timed_out, refused, enters, completions, system_calls;
};

enum { SERVER_NO_COUNTER = -1, SERVER_DRAIN_MS = 1000 };

/*
 * Reads --port (0: any free one), --address (default 127.0.0.1) and --timeout-ms, raises the descriptor limit and opens
 * a non-blocking listener that wakes nobody before data arrives when `defer_accept` says so. Exits with one sentence
 * when it cannot.
 */
struct server server_start(int count, char **arguments, bool defer_accept);

/* The same with options of the program's own; `extra` ends with one whose name is NULL. */
struct server server_start_with(int count, char **arguments, bool defer_accept, const struct option_of_program *extra);

/* Says `listening PORT` on standard error. Call it when connections would be served. */
void server_ready(const struct server *server);

/* Prints the one JSON line on standard output; returns the exit code. */
int server_report(const char *path, const struct server_counters *counters);

/* CLOCK_MONOTONIC in milliseconds. */
uint64_t server_now_ms(void);

#endif
