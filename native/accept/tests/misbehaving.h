/* A server in a thread that breaks the contract on every n-th connection in one chosen way. */
#ifndef ACCEPT_TESTS_MISBEHAVING_H
#define ACCEPT_TESTS_MISBEHAVING_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum misbehaviour {
    GOOD,
    WRONG_BYTE,
    SHORT_REPLY,
    LONG_REPLY,
    NO_REPLY,
    NO_CLOSE,
    RESET,
    REPLY_IN_TWO,
    ANSWER_AT_FIRST_BYTE
};

struct misbehaving {
    int listener;
    uint16_t port;
    enum misbehaviour misbehaviour;
    unsigned every;
    /* Answers only once so many wait; 0 or 1 answers at once. */
    unsigned gather;
    pthread_t thread;
    int stop[2];
    /* What it saw. */
    atomic_uint connections, split_requests, more_than_gathered;
};

/* False when it cannot start. */
bool misbehaving_start(struct misbehaving *server);
void misbehaving_stop(struct misbehaving *server);

#endif
