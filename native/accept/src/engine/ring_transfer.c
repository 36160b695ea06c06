/*
 * recv, send and close by io_uring requests, one connection's reply always in that connection's own buffer.
 * Shows CQE_SKIP_SUCCESS (5.17), MSG_MORE fused with close, and recv-send-close linked as a chain (5.10 on).
 * Try it: accept-engine --configuration six-techniques --set link-chain=on.
 */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "internal.h"

static int send_flags(const struct worker *worker)
{
    return MSG_NOSIGNAL | (worker->plan->on[ACCEPT_FUSE_FIN] ? MSG_MORE : 0);
}

static void finish(struct io_uring_sqe *sqe, enum request_kind kind, struct connection *connection, unsigned flags)
{
    sqe->flags |= (uint8_t)flags;
    ring_tag(sqe, kind, connection);
}

static unsigned file_flag(const struct connection *connection)
{
    return connection->fixed ? IOSQE_FIXED_FILE : 0;
}

static void queue_recv(struct worker *worker, struct connection *connection)
{
    struct io_uring_sqe *sqe = ring_request(worker, 1);
    size_t used = connection->state == LINGERING ? 0 : connection->received;
    io_uring_prep_recv(sqe, connection->fd, connection->request + used, worker->options.request_bytes_limit - used, 0);
    finish(sqe, ON_RECV, connection, file_flag(connection));
}

static void prep_send(struct worker *worker, struct io_uring_sqe *sqe, struct connection *connection, int flags)
{
    io_uring_prep_send(sqe, connection->fd, connection->reply.bytes + connection->sent,
                       connection->reply.length - connection->sent, send_flags(worker) | flags);
}

static void prep_close(struct io_uring_sqe *sqe, const struct connection *connection)
{
    if (connection->fixed)
        io_uring_prep_close_direct(sqe, (unsigned)connection->fd);
    else
        io_uring_prep_close(sqe, connection->fd);
}

static void queue_send(struct worker *worker, struct connection *connection)
{
    struct io_uring_sqe *sqe = ring_request(worker, 1);
    connection->state = SENDING;
    prep_send(worker, sqe, connection, 0);
    finish(sqe, ON_SEND, connection, file_flag(connection));
}

/* The object is free once the kernel has consumed what was queued with it. */
static void part(struct worker *worker, struct connection *connection)
{
    deadline_stop(worker, connection);
    worker->live--;
    worker->closes++;
    connection->next = worker->parted;
    worker->parted = connection;
}

void ring_consumed(struct worker *worker)
{
    struct connection *connection = worker->parted;
    worker->parted = NULL;
    while (connection) {
        struct connection *next = connection->next;
        connection_release(worker, connection);
        connection = next;
    }
}

/* Closes and forgets: the completion, if there is one, carries no connection. */
static void queue_close(struct worker *worker, struct connection *connection)
{
    struct io_uring_sqe *sqe = ring_request(worker, 1);
    prep_close(sqe, connection);
    finish(sqe, ON_CLOSE, NULL, worker->plan->on[ACCEPT_SKIP_SUCCESS] ? IOSQE_CQE_SKIP_SUCCESS : 0);
    part(worker, connection);
}

/*
 * A reply that cannot block: send and close in one submission. MSG_DONTWAIT makes the kernel decide on the spot, so that the
 * reply's buffer is no longer in use once the submission has been consumed, even though success is never reported.
 */
static void queue_reply_and_close(struct worker *worker, struct connection *connection)
{
    bool skip = worker->plan->on[ACCEPT_SKIP_SUCCESS];
    struct io_uring_sqe *sqe = ring_request(worker, 2);
    prep_send(worker, sqe, connection, MSG_DONTWAIT | MSG_WAITALL);
    finish(sqe, ON_PARTED, NULL, file_flag(connection) | (skip ? IOSQE_CQE_SKIP_SUCCESS : 0));
    ADD(worker->counters.replied, 1);
    queue_close(worker, connection);
}

/* All three at once; the reply is written before the request has come, so recv insists on the whole request. */
static void queue_chain(struct worker *worker, struct connection *connection)
{
    bool skip = worker->plan->on[ACCEPT_SKIP_SUCCESS];
    connection->received_ahead = -ECANCELED;
    unsigned linked = IOSQE_IO_LINK | file_flag(connection) | (skip ? IOSQE_CQE_SKIP_SUCCESS : 0);
    struct io_uring_sqe *sqe = ring_request(worker, 3);
    request_answer(worker, connection->request, 0, &connection->reply);
    io_uring_prep_recv(sqe, connection->fd, connection->request, worker->handler.fixed_request_bytes, MSG_WAITALL);
    finish(sqe, ON_RECV, connection, linked);
    sqe = ring_request(worker, 1);
    prep_send(worker, sqe, connection, MSG_WAITALL); /* a short one must break the chain */
    finish(sqe, ON_SEND, connection, linked);
    sqe = ring_request(worker, 1);
    prep_close(sqe, connection);
    finish(sqe, ON_CLOSE, connection, 0);
    /* When success is skipped exactly one of them reports: the one that fails (it silences the rest) or the close. */
    connection->pending = skip ? 1 : 3;
}

/* A connection fresh from accept. */
void ring_begin(struct worker *worker, int fd, bool fixed)
{
    struct connection *connection = connection_take(worker, fd, fixed);
    if (!connection) {
        struct connection orphan = {.fd = fd, .fixed = fixed};
        struct io_uring_sqe *sqe = ring_request(worker, 1);
        prep_close(sqe, &orphan);
        finish(sqe, ON_CLOSE, NULL, 0);
        worker->closes++;
        ADD(worker->counters.refused, 1);
        return;
    }
    deadline_start(worker, connection);
    if (worker->plan->on[ACCEPT_LINK_CHAIN])
        queue_chain(worker, connection);
    else
        queue_recv(worker, connection);
}

static void queue_cancel(struct worker *worker, struct connection *connection, enum request_kind kind)
{
    struct io_uring_sqe *sqe = ring_request(worker, 1);
    io_uring_prep_cancel64(sqe, (uintptr_t)connection | kind, 0);
    finish(sqe, ON_CANCEL, NULL, 0);
}

/* Calls back whatever is pending. */
static void call_back(struct worker *worker, struct connection *connection)
{
    if (connection->state == READING || connection->state == LINGERING)
        queue_cancel(worker, connection, ON_RECV);
    if (connection->state == SENDING || connection->pending)
        queue_cancel(worker, connection, ON_SEND);
}

/* The completion of what is called back then closes the connection. */
void ring_expire(struct worker *worker, struct connection *connection)
{
    connection->expired = true;
    call_back(worker, connection);
}

/* Calls back what has pended for long; it is queued again when that completes. */
void ring_renew(struct worker *worker)
{
    uint64_t born_before = worker_now(worker) - RENEWAL_NS, timeout_ns = worker->options.timeout_ms * 1000000ull;
    for (struct connection *connection = worker->deadlines.oldest; connection && ring_has_room(worker);
         connection = connection->next) {
        if (connection->deadline_ns - timeout_ns > born_before)
            break;
        if (connection->fixed)
            call_back(worker, connection);
    }
}

/* Input may be left unread: closing now would send a reset that can overtake the reply. Say FIN, then read to the end. */
static void start_lingering(struct worker *worker, struct connection *connection)
{
    connection->state = LINGERING;
    if (!connection->fixed) {
        ADD(worker->counters.system_calls, 1);
        shutdown(connection->fd, SHUT_WR);
    } else {
        struct io_uring_sqe *sqe = ring_request(worker, 1);
        io_uring_prep_shutdown(sqe, connection->fd, SHUT_WR);
        finish(sqe, ON_SHUTDOWN, NULL, IOSQE_FIXED_FILE);
    }
    queue_recv(worker, connection);
}

static void answer(struct worker *worker, struct connection *connection, size_t end)
{
    connection->unread = end < connection->received || connection->received == worker->options.request_bytes_limit;
    request_answer(worker, connection->request, end, &connection->reply);
    if (!connection->reply.length && !connection->unread)
        queue_close(worker, connection);
    else if (connection->reply.length <= SMALL_REPLY_BYTES && !connection->unread)
        queue_reply_and_close(worker, connection);
    else
        queue_send(worker, connection);
}

static void received(struct worker *worker, struct connection *connection, int result)
{
    if (result == -EINTR || result == -EAGAIN || result == -ECANCELED) {
        queue_recv(worker, connection);
        return;
    }
    if (connection->state == LINGERING && result > 0) {
        queue_recv(worker, connection);
        return;
    }
    if (result <= 0) {
        if (connection->state == READING)
            ADD(worker->counters.refused, 1);
        queue_close(worker, connection);
        return;
    }
    connection->received += (size_t)result;
    size_t end = request_end(worker, connection->request, connection->received);
    if (end) {
        answer(worker, connection, end);
    } else if (connection->received == worker->options.request_bytes_limit) {
        ADD(worker->counters.refused, 1);
        queue_close(worker, connection);
    } else {
        queue_recv(worker, connection);
    }
}

static void sent(struct worker *worker, struct connection *connection, int result)
{
    if (result > 0)
        connection->sent += (size_t)result;
    if (connection->sent < connection->reply.length) {
        if (result > 0 || result == -EINTR || result == -EAGAIN || result == -ECANCELED) {
            queue_send(worker, connection);
            return;
        }
        ADD(worker->counters.failed, 1);
        queue_close(worker, connection);
        return;
    }
    ADD(worker->counters.replied, 1);
    if (connection->unread)
        start_lingering(worker, connection);
    else
        queue_close(worker, connection);
}

/* One of a chain's completions; the last decides how the connection ends. */
static void chain_completed(struct worker *worker, enum request_kind kind, struct connection *connection, int result)
{
    if (kind == ON_RECV)
        connection->received_ahead = result;
    else if (kind == ON_SEND && result > 0)
        connection->sent = (size_t)result;
    else if (kind == ON_SEND && result < 0 && result != -ECANCELED)
        connection->failed = true;
    else if (kind == ON_CLOSE && result == 0)
        connection->closed = true;
    if (--connection->pending)
        return;
    int whole = (int)worker->handler.fixed_request_bytes;
    if (connection->closed) {
        ADD(worker->counters.replied, 1);
        part(worker, connection);
    } else if (connection->expired) {
        queue_close(worker, connection);
    } else if (connection->failed) {
        ADD(worker->counters.failed, 1);
        queue_close(worker, connection);
    } else if (connection->sent || connection->received_ahead == whole) {
        sent(worker, connection, -EAGAIN); /* the chain broke at a short send: go on without one */
    } else {
        received(worker, connection, connection->received_ahead); /* at a short recv */
    }
}

/* A completion of a request that ring_begin() or what followed it queued. */
void ring_completed(struct worker *worker, enum request_kind kind, struct connection *connection, int result)
{
    if (!connection) {
        if (kind == ON_PARTED && result < 0) {
            ADD(worker->counters.failed, 1);
            ADD(worker->counters.replied, (uint64_t)-1);
        }
        return;
    }
    if (connection->pending) {
        chain_completed(worker, kind, connection, result);
    } else if (connection->expired) {
        queue_close(worker, connection);
    } else if (kind == ON_RECV) {
        received(worker, connection, result);
    } else if (kind == ON_SEND) {
        sent(worker, connection, result);
    }
}
