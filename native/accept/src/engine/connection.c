/*
 * Connection objects: a freelist per worker, the deadline queue, the reply's memory.
 * Shows the technique "freelist" (any kernel); try it: accept-engine --configuration six-techniques --set freelist=off.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "internal.h"

static struct connection *allocate(const struct pool *pool)
{
    size_t bytes = (pool->connection_bytes + 15) & ~(size_t)15;
    return aligned_alloc(16, bytes);
}

void pool_init(struct pool *pool, unsigned keep, size_t request_bytes_limit)
{
    *pool = (struct pool){.keep = keep, .connection_bytes = sizeof(struct connection) + request_bytes_limit};
    while (pool->free_count < keep) {
        struct connection *connection = allocate(pool);
        if (!connection)
            break;
        connection->next = pool->free;
        pool->free = connection;
        pool->free_count++;
    }
}

void pool_free(struct pool *pool)
{
    while (pool->free) {
        struct connection *connection = pool->free;
        pool->free = connection->next;
        free(connection);
    }
    pool->free_count = 0;
}

struct connection *connection_take(struct worker *worker, int fd, bool fixed)
{
    struct pool *pool = &worker->pool;
    struct connection *connection = pool->free;
    if (connection) {
        pool->free = connection->next;
        pool->free_count--;
    } else if (!(connection = allocate(pool))) {
        return NULL;
    }
    memset(connection, 0, offsetof(struct connection, reply));
    connection->fd = fd;
    connection->fixed = fixed;
    connection->reply = (struct accept_reply){.bytes = connection->built_in_reply, .capacity = BUILT_IN_REPLY_BYTES};
    worker->live++;
    return connection;
}

/* Gives the object back; the descriptor is the caller's business. */
void connection_release(struct worker *worker, struct connection *connection)
{
    struct pool *pool = &worker->pool;
    free(connection->reply.grown);
    if (pool->free_count < pool->keep) {
        connection->next = pool->free;
        pool->free = connection;
        pool->free_count++;
    } else {
        free(connection);
    }
}

char *accept_reply_reserve(struct accept_reply *reply, size_t capacity)
{
    if (capacity <= reply->capacity)
        return reply->bytes;
    char *grown = realloc(reply->grown, capacity);
    if (!grown)
        return NULL;
    if (!reply->grown)
        memcpy(grown, reply->bytes, reply->length);
    reply->grown = reply->bytes = grown;
    reply->capacity = capacity;
    return grown;
}

void deadline_start(struct worker *worker, struct connection *connection)
{
    struct deadlines *queue = &worker->deadlines;
    connection->deadline_ns = worker_now(worker) + worker->options.timeout_ms * 1000000ull;
    connection->next = NULL;
    connection->previous = queue->newest;
    if (queue->newest)
        queue->newest->next = connection;
    else
        queue->oldest = connection;
    queue->newest = connection;
    connection->queued = true;
}

void deadline_stop(struct worker *worker, struct connection *connection)
{
    struct deadlines *queue = &worker->deadlines;
    if (!connection->queued)
        return;
    if (connection->previous)
        connection->previous->next = connection->next;
    else
        queue->oldest = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
    else
        queue->newest = connection->previous;
    connection->queued = false;
}

/* One clock reading serves all completions of a round. The coarse clock never leaves user space, whatever the clock source. */
uint64_t worker_now(struct worker *worker)
{
    if (!worker->now_ns) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
        worker->now_ns = (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
    }
    return worker->now_ns;
}

/*
 * Length up to and with the first blank line, or 0. Looks at what would be the line's last byte and skips as far as that byte
 * allows, a quarter of the bytes in ordinary text.
 */
static size_t first_blank_line(const char *bytes, size_t length)
{
    for (size_t i = 3; i < length;) {
        if (bytes[i] == '\n') {
            if (bytes[i - 1] == '\r' && bytes[i - 2] == '\n' && bytes[i - 3] == '\r')
                return i + 1;
            i += 2;
        } else {
            i += bytes[i] == '\r' ? 1 : 4;
        }
    }
    return 0;
}

/* Length of the complete request at the front, or 0. */
size_t request_end(const struct worker *worker, const char *bytes, size_t length)
{
    if (worker->handler.complete)
        return worker->handler.complete(worker->handler.context, bytes, length);
    return first_blank_line(bytes, length);
}

void request_answer(const struct worker *worker, const char *request, size_t length, struct accept_reply *reply)
{
    reply->length = 0;
    worker->handler.answer(worker->handler.context, request, length, reply);
}

bool descriptors_exhausted(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}
