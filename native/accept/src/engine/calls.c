/*
 * recv, send and close by plain system calls: a request that is there is answered on the spot, whatever is incomplete moves to a
 * pooled connection under epoll with an absolute deadline.
 * Shows MSG_MORE and close leaving as one segment (any kernel); try it: accept-engine --set fuse-fin=off.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "internal.h"

enum { EVENTS_AT_ONCE = 64, DISCARDED_BYTES_AT_ONCE = 65536, KEPT_REPLY_BYTES = 1 << 20 };

int calls_open(struct worker *worker)
{
    worker->epoll = epoll_create1(EPOLL_CLOEXEC);
    worker->scratch = malloc(worker->options.request_bytes_limit);
    worker->reply.bytes = worker->reply.grown = malloc(SMALL_REPLY_BYTES);
    worker->reply.capacity = SMALL_REPLY_BYTES;
    return worker->epoll < 0 || !worker->scratch || !worker->reply.bytes ? -1 : 0;
}

void calls_close(struct worker *worker)
{
    if (worker->epoll >= 0)
        close(worker->epoll);
    free(worker->scratch);
    free(worker->reply.grown);
}

static ssize_t receive(struct worker *worker, int fd, char *bytes, size_t room)
{
    ADD(worker->counters.system_calls, 1);
    return recv(fd, bytes, room, MSG_DONTWAIT);
}

static ssize_t transmit(struct worker *worker, int fd, const char *bytes, size_t length)
{
    int more = worker->plan->on[ACCEPT_FUSE_FIN] ? MSG_MORE : 0;
    ADD(worker->counters.system_calls, 1);
    return send(fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL | more);
}

static void hang_up(struct worker *worker, int fd)
{
    ADD(worker->counters.system_calls, 1);
    close(fd);
    worker->closes++;
}

static bool would_block(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static void give_up(struct worker *worker, struct connection *connection)
{
    deadline_stop(worker, connection);
    hang_up(worker, connection->fd); /* also takes it out of epoll */
    worker->live--;
    worker->slow--;
    connection_release(worker, connection);
}

void calls_expire(struct worker *worker, struct connection *connection)
{
    give_up(worker, connection);
}

static bool watch(struct worker *worker, struct connection *connection, int operation, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = connection};
    ADD(worker->counters.system_calls, 1);
    return epoll_ctl(worker->epoll, operation, connection->fd, &event) == 0;
}

/* A connection that could not be finished at once; NULL (and closed) when there is no memory or watch for it. */
static struct connection *slow_down(struct worker *worker, int fd, enum connection_state state)
{
    struct connection *connection = connection_take(worker, fd, false);
    if (!connection) {
        ADD(worker->counters.refused, 1);
        hang_up(worker, fd);
        return NULL;
    }
    connection->state = (uint8_t)state;
    worker->slow++;
    deadline_start(worker, connection);
    if (!watch(worker, connection, EPOLL_CTL_ADD, state == SENDING ? EPOLLOUT : EPOLLIN)) {
        ADD(worker->counters.refused, 1);
        give_up(worker, connection);
        return NULL;
    }
    return connection;
}

/* Input may be left unread: closing now would send a reset that can overtake the reply. Say FIN, then read to the end. */
static void start_lingering(struct worker *worker, int fd)
{
    ADD(worker->counters.system_calls, 1);
    shutdown(fd, SHUT_WR);
}

/* After a giant reply its memory is given back, lest every loop keep one for ever. */
static void trim_reply(struct accept_reply *reply)
{
    if (reply->capacity <= KEPT_REPLY_BYTES)
        return;
    char *smaller = realloc(reply->grown, SMALL_REPLY_BYTES);
    if (!smaller)
        return;
    reply->bytes = reply->grown = smaller;
    reply->capacity = SMALL_REPLY_BYTES;
}

/* Answers a complete request that was read into the scratch buffer. */
static void answer(struct worker *worker, int fd, size_t end, bool unread)
{
    struct accept_reply *reply = &worker->reply;
    request_answer(worker, worker->scratch, end, reply);
    ssize_t sent = reply->length ? transmit(worker, fd, reply->bytes, reply->length) : 0;
    if (sent == (ssize_t)reply->length && !unread) {
        hang_up(worker, fd);
        ADD(worker->counters.replied, 1);
        return;
    }
    if (sent < 0 && !would_block()) {
        hang_up(worker, fd);
        ADD(worker->counters.failed, 1);
        return;
    }
    size_t done = sent < 0 ? 0 : (size_t)sent;
    bool whole = done == reply->length;
    struct connection *connection = slow_down(worker, fd, whole ? LINGERING : SENDING);
    if (!connection)
        return;
    connection->unread = unread;
    if (whole) {
        ADD(worker->counters.replied, 1);
        start_lingering(worker, fd);
    } else if (accept_reply_reserve(&connection->reply, reply->length - done)) {
        connection->reply.length = reply->length - done;
        memcpy(connection->reply.bytes, reply->bytes + done, connection->reply.length);
    } else {
        ADD(worker->counters.failed, 1);
        give_up(worker, connection);
    }
}

/* A connection fresh from accept. */
void calls_begin(struct worker *worker, int fd)
{
    size_t limit = worker->options.request_bytes_limit;
    ssize_t received = receive(worker, fd, worker->scratch, limit);
    if (received > 0) {
        size_t end = request_end(worker, worker->scratch, (size_t)received);
        if (end) {
            answer(worker, fd, end, end < (size_t)received || (size_t)received == limit);
            trim_reply(&worker->reply);
            return;
        }
    }
    if (received == 0 || (received < 0 && !would_block()) || received == (ssize_t)limit) {
        ADD(worker->counters.refused, 1);
        hang_up(worker, fd);
        return;
    }
    struct connection *connection = slow_down(worker, fd, READING);
    if (connection && received > 0) {
        memcpy(connection->request, worker->scratch, (size_t)received);
        connection->received = (size_t)received;
    }
}

static void continue_sending(struct worker *worker, struct connection *connection)
{
    size_t left = connection->reply.length - connection->sent;
    ssize_t sent = left ? transmit(worker, connection->fd, connection->reply.bytes + connection->sent, left) : 0;
    if (sent < 0 && would_block())
        return;
    if (sent < 0) {
        ADD(worker->counters.failed, 1);
        give_up(worker, connection);
        return;
    }
    connection->sent += (size_t)sent;
    if (connection->sent < connection->reply.length)
        return;
    ADD(worker->counters.replied, 1);
    if (!connection->unread) {
        give_up(worker, connection);
        return;
    }
    start_lingering(worker, connection->fd);
    connection->state = LINGERING;
    watch(worker, connection, EPOLL_CTL_MOD, EPOLLIN);
}

static void continue_reading(struct worker *worker, struct connection *connection)
{
    size_t limit = worker->options.request_bytes_limit;
    ssize_t received = receive(worker, connection->fd, connection->request + connection->received, limit - connection->received);
    if (received < 0 && would_block())
        return;
    if (received <= 0) {
        ADD(worker->counters.refused, 1);
        give_up(worker, connection);
        return;
    }
    connection->received += (size_t)received;
    size_t end = request_end(worker, connection->request, connection->received);
    if (end) {
        connection->unread = end < connection->received || connection->received == limit;
        request_answer(worker, connection->request, end, &connection->reply);
        connection->state = SENDING;
        watch(worker, connection, EPOLL_CTL_MOD, EPOLLOUT);
        continue_sending(worker, connection);
    } else if (connection->received == limit) {
        ADD(worker->counters.refused, 1);
        give_up(worker, connection);
    }
}

static void continue_lingering(struct worker *worker, struct connection *connection)
{
    for (size_t discarded = 0; discarded < DISCARDED_BYTES_AT_ONCE;) {
        ssize_t received = receive(worker, connection->fd, worker->scratch, worker->options.request_bytes_limit);
        if (received < 0 && would_block())
            return;
        if (received <= 0) {
            give_up(worker, connection);
            return;
        }
        discarded += (size_t)received;
    }
}

static void ready(struct worker *worker, struct connection *connection)
{
    switch (connection->state) {
    case READING:
        continue_reading(worker, connection);
        break;
    case SENDING:
        continue_sending(worker, connection);
        break;
    default:
        continue_lingering(worker, connection);
    }
}

/* Waits up to `timeout_ms` and serves what is ready; true when the listener (its event carries no connection) is. */
bool calls_poll(struct worker *worker, int timeout_ms)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    bool listener_ready = false;
    int count = epoll_wait(worker->epoll, events, EVENTS_AT_ONCE, timeout_ms);
    ADD(worker->counters.system_calls, 1);
    if (timeout_ms)
        worker->now_ns = 0;
    for (int i = 0; i < count; i++) {
        if (events[i].data.ptr == NULL)
            listener_ready = true;
        else if (events[i].data.ptr == &worker->wake)
            worker_stop(worker);
        else
            ready(worker, events[i].data.ptr);
    }
    return listener_ready;
}
