/*
 * Control: io_uring as a newcomer writes it. Single-shot accept, recv, send and close, each a request of its own;
 * regular descriptors, malloc for each connection, a default ring, one loop. What became ready is handled in one pass
 * and submitted with the next wait; `--submit each` submits after every request instead, as many tutorials do.
 *
 * It answers split requests. It has no time-outs, does not back off when descriptors run out and takes a short send for
 * a whole one: it is the measure of the plain interface, not a server to use.
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contract.h"
#include "queue.h"
#include "server.h"

enum { QUEUE_ENTRIES = 1024 };

enum step { ACCEPTING, RECEIVING, SENDING, CLOSING, SIGNALLED, CANCELLING, OUT_OF_TIME };

struct connection {
    struct queue_link link; /* first member: found again from the queue */
    enum step step;
    int fd;
    size_t received;
    char request[CONTRACT_REQUEST_LIMIT];
};

static struct server_counters counters;
static struct server server;
static struct io_uring ring;
static bool submit_each;
static bool stopping, out_of_time;
/* All there are, to be given back at the end: the kernel holds the only other pointer to an idle one. */
static struct queue connections;

/* Requests that belong to no connection. */
static struct connection accepting = {.step = ACCEPTING}, signalled = {.step = SIGNALLED},
                         cancelling = {.step = CANCELLING}, timer = {.step = OUT_OF_TIME};

static void submit(void) {
    io_uring_submit(&ring);
    counters.enters++;
}

static struct io_uring_sqe *next_request(void) {
    struct io_uring_sqe *request = io_uring_get_sqe(&ring);
    if (request == NULL) {
        submit();
        request = io_uring_get_sqe(&ring);
    }
    if (request == NULL) {
        fprintf(stderr, "accept-vanilla: the kernel takes no more requests\n");
        exit(1);
    }
    return request;
}

static void queue(struct io_uring_sqe *request, struct connection *connection) {
    io_uring_sqe_set_data(request, connection);
    if (submit_each)
        submit();
}

static void queue_accept(void) {
    struct io_uring_sqe *request = next_request();
    io_uring_prep_accept(request, server.listener, NULL, NULL, SOCK_CLOEXEC);
    queue(request, &accepting);
}

static void queue_receive(struct connection *connection) {
    struct io_uring_sqe *request = next_request();
    connection->step = RECEIVING;
    io_uring_prep_recv(request, connection->fd, connection->request + connection->received,
                       CONTRACT_REQUEST_LIMIT - connection->received, 0);
    queue(request, connection);
}

static void queue_send(struct connection *connection) {
    struct io_uring_sqe *request = next_request();
    connection->step = SENDING;
    io_uring_prep_send(request, connection->fd, CONTRACT_REPLY, CONTRACT_REPLY_BYTES, MSG_NOSIGNAL);
    queue(request, connection);
}

static void queue_close(struct connection *connection) {
    struct io_uring_sqe *request = next_request();
    connection->step = CLOSING;
    io_uring_prep_close(request, connection->fd);
    queue(request, connection);
}

static void accepted(int fd) {
    if (!stopping)
        queue_accept();
    if (fd < 0)
        return;
    struct connection *connection = malloc(sizeof *connection);
    if (connection == NULL) {
        counters.refused++;
        close(fd);
        return;
    }
    counters.accepted++;
    queue_append(&connections, &connection->link, 0);
    connection->fd = fd;
    connection->received = 0;
    queue_receive(connection);
}

static void received(struct connection *connection, int bytes) {
    if (bytes <= 0) {
        queue_close(connection);
        return;
    }
    connection->received += (size_t)bytes;
    if (connection->received >= CONTRACT_END_BYTES &&
        memcmp(connection->request + connection->received - CONTRACT_END_BYTES, CONTRACT_END, CONTRACT_END_BYTES) ==
            0) {
        queue_send(connection);
    } else if (connection->received < CONTRACT_REQUEST_LIMIT) {
        queue_receive(connection);
    } else {
        counters.refused++;
        queue_close(connection);
    }
}

/* Accepts no more, and gives those connected a bounded time. */
static void stop(void) {
    static struct __kernel_timespec limit = {.tv_sec = SERVER_DRAIN_MS / 1000};
    stopping = true;
    struct io_uring_sqe *request = next_request();
    io_uring_prep_cancel(request, &accepting, 0);
    queue(request, &cancelling);
    request = next_request();
    io_uring_prep_timeout(request, &limit, 0, 0);
    queue(request, &timer);
}

static void handle(struct connection *connection, int result) {
    switch (connection->step) {
    case ACCEPTING:
        accepted(result);
        break;
    case RECEIVING:
        received(connection, result);
        break;
    case SENDING:
        counters.replied += result == CONTRACT_REPLY_BYTES;
        queue_close(connection);
        break;
    case CLOSING:
        queue_remove(&connection->link);
        free(connection);
        break;
    case SIGNALLED:
        stop();
        break;
    case CANCELLING:
        break;
    case OUT_OF_TIME:
        out_of_time = true;
        break;
    }
}

static void free_connections(void) {
    struct queue_link *link;
    while ((link = queue_first(&connections)) != NULL) {
        queue_remove(link);
        free((char *)link - offsetof(struct connection, link));
    }
}

static void serve(void) {
    while (!out_of_time && !(stopping && queue_first(&connections) == NULL)) {
        struct io_uring_cqe *completion;
        unsigned head, seen = 0;
        io_uring_submit_and_wait(&ring, 1);
        counters.enters++;
        io_uring_for_each_cqe(&ring, head, completion) {
            handle(io_uring_cqe_get_data(completion), completion->res);
            seen++;
        }
        io_uring_cq_advance(&ring, seen);
        counters.completions += seen;
    }
}

int main(int count, char **arguments) {
    const char *when = "batch";
    const struct option_of_program extra[] = {{"submit", NULL, 0, 0, &when}, {0}};
    server = server_start_with(count, arguments, false, extra);
    submit_each = strcmp(when, "each") == 0;
    if (!submit_each && strcmp(when, "batch") != 0) {
        fprintf(stderr, "accept-vanilla: --submit is batch or each, not '%s'\n", when);
        return 2;
    }
    /* A request on a non-blocking descriptor does not wait for its event. */
    fcntl(server.listener, F_SETFL, fcntl(server.listener, F_GETFL) & ~O_NONBLOCK);
    int error = io_uring_queue_init(QUEUE_ENTRIES, &ring, 0);
    if (error < 0) {
        fprintf(stderr, "accept-vanilla: no io_uring here: %s\n", strerror(-error));
        return 1;
    }
    queue_reset(&connections);
    struct io_uring_sqe *request = next_request();
    io_uring_prep_poll_add(request, server.signals, POLLIN);
    queue(request, &signalled);
    queue_accept();
    server_ready(&server);
    serve();
    io_uring_queue_exit(&ring);
    free_connections();
    counters.timed_out = SERVER_NO_COUNTER;
    counters.system_calls = counters.enters;
    return server_report(submit_each ? "single-shot requests, submitted one by one"
                                     : "single-shot requests, submitted with each wait",
                         &counters);
}
