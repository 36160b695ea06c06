/* Connections whose request was not there at once: kept under epoll with an absolute deadline, so that none blocks the
 * others. */
#ifndef ACCEPT_SLOW_H
#define ACCEPT_SLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract.h"
#include "queue.h"
#include "server.h"

struct slow_connection {
    struct queue_link deadline; /* first member: found again from the queue */
    int fd;
    uint32_t received;
    char request[CONTRACT_REQUEST_LIMIT];
};

struct slow {
    int epoll;
    uint64_t timeout_ms;
    struct queue deadlines;
    struct slow_connection *free; /* linked by deadline.next */
    uint32_t open;
    struct server_counters *counters;
};

/* True when the request has ended. */
bool slow_complete(const char *request, size_t bytes);

void slow_begin(struct slow *slow, int epoll, uint64_t timeout_ms, struct server_counters *counters);

/* Takes over a connection with what was read of its request so far. Without memory it is closed and counted as refused.
 */
void slow_add(struct slow *slow, int fd, const char *request, size_t bytes);

/* Reads on; answers and closes when the request is complete, closes when it cannot become so. */
void slow_ready(struct slow *slow, struct slow_connection *connection);

/* Closes those whose time is over. */
void slow_expire(struct slow *slow);

/* Closes the oldest to make room; false when there is none. */
bool slow_drop_oldest(struct slow *slow);

/* Milliseconds epoll may wait: until the next deadline, -1 for ever. */
int slow_wait_ms(const struct slow *slow);

/* Closes all that is left and gives the memory back. */
void slow_end(struct slow *slow);

#endif
