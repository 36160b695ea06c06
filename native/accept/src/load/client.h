/* The load: a fixed number of connections in flight, each a request, a reply checked byte for byte and the server's
 * close awaited. */
#ifndef ACCEPT_LOAD_CLIENT_H
#define ACCEPT_LOAD_CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "histogram.h"

/* Why a connection did not end as the contract says. */
enum client_failure {
    CLIENT_REFUSED,     /* no listener, or the network refused */
    CLIENT_RESET,       /* reset before the server's close was seen */
    CLIENT_TIMED_OUT,   /* not finished in time, reply or close missing */
    CLIENT_WRONG_REPLY, /* a byte of the reply differs */
    CLIENT_SHORT_REPLY, /* closed before the whole reply */
    CLIENT_LONG_REPLY,  /* more than the reply */
    CLIENT_EARLY_REPLY, /* answered or closed before the whole request was sent */
    CLIENT_NO_SOCKET,   /* this process could get no descriptor, address or port */
    CLIENT_FAILURES
};

/* Names of the failures as the report prints them. */
extern const char *const client_failure_names[CLIENT_FAILURES];

struct client_options {
    struct sockaddr_storage server;
    socklen_t server_length;
    uint32_t in_flight;
    uint64_t timeout_ns;
    /* Sends the request in two segments with this pause between; 0 sends it whole. */
    uint64_t split_ns;
    /* Reads a few bytes at a time, this pause before each; 0 reads when there is something. */
    uint64_t slow_read_ns;
    /* Where source addresses and ports begin. */
    uint64_t seed;
};

struct client_tally {
    uint64_t completed;
    uint64_t failures[CLIENT_FAILURES];
    /* When the last connection ended. */
    uint64_t ended_ns;
    struct histogram latency_ns;
};

struct client;

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t client_now_ns(void);

/* NULL without memory or descriptors, with errno set. Everything a connection needs is reserved here. */
struct client *client_create(const struct client_options *options);
void client_destroy(struct client *client);

/* Makes exactly `connections` attempts and returns when the last has ended. */
void client_run(struct client *client, uint64_t connections, struct client_tally *tally);

/* Opens connections that never send a byte; returns how many were established. */
uint32_t client_open_silent(struct client *client, uint32_t count);

/* How many silent connections the server has neither closed nor reset. */
uint32_t client_silent_open(const struct client *client);

#endif
