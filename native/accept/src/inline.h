/*
 * Serving without a ring: a connection is accepted, read, answered with MSG_MORE so that reply and FIN share a segment,
 * and closed in one go. Whatever has not sent its whole request by then goes on under epoll.
 */
#ifndef ACCEPT_INLINE_H
#define ACCEPT_INLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "server.h"
#include "slow.h"

struct inline_server {
    struct server server;
    struct server_counters counters;
    struct slow slow;
    /* SOCK_NONBLOCK or not, of accept4; then how recv and send are kept from blocking. */
    int accept_flags, transfer_flags;
};

enum inline_end { INLINE_SIGNAL, INLINE_CALM, INLINE_LATE };

/* After server_start() has filled in `server`. Exits with one sentence when there is no epoll. */
void inline_begin(struct inline_server *inlined);

/* Accepts and serves one connection. False when there is none now; errno tells why. A full descriptor table has then
 * been relieved, by the oldest slow connection or by a pause. */
bool inline_accept_one(struct inline_server *inlined);

/* Serves new and slow connections until a signal; or, as asked, until no slow connection is left or the time is over.
 */
enum inline_end inline_serve(struct inline_server *inlined, bool until_calm, uint64_t until_ms);

/* Stops listening, serves who is connected for a bounded time, reports; returns the exit code. */
int inline_finish(struct inline_server *inlined, const char *path);

#endif
