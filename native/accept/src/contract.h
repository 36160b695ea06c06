/* The contract every server of the accept experiment meets: one request of 18 bytes, one reply of 19, then the server
 * closes. */
#ifndef ACCEPT_CONTRACT_H
#define ACCEPT_CONTRACT_H

#include <assert.h>

#define CONTRACT_REQUEST "GET / HTTP/1.0\r\n\r\n"
#define CONTRACT_REPLY "HTTP/1.0 200 OK\r\n\r\n"
/* A request is complete when these bytes end it, however many segments it came in. */
#define CONTRACT_END "\r\n\r\n"

enum {
    CONTRACT_REQUEST_BYTES = sizeof(CONTRACT_REQUEST) - 1,
    CONTRACT_REPLY_BYTES = sizeof(CONTRACT_REPLY) - 1,
    CONTRACT_END_BYTES = sizeof(CONTRACT_END) - 1,
    /* What a server reads at most before it gives up on a request. */
    CONTRACT_REQUEST_LIMIT = 256,
};

static_assert(CONTRACT_REQUEST_BYTES == 18, "the published request has 18 bytes");
static_assert(CONTRACT_REPLY_BYTES == 19, "the published reply has 19 bytes");

#endif
