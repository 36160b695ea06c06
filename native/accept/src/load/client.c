#include "client.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "../contract.h"
#include "../queue.h"
#include "source.h"

enum {
    FIRST_PART_BYTES = CONTRACT_REQUEST_BYTES / 2,
    /* More than a reply, so that a longer one is noticed. */
    READ_BYTES = 64,
    SLOW_READ_BYTES = 7,
    SILENT_CONNECT_MS = 5000,
};

const char *const client_failure_names[CLIENT_FAILURES] = {
    [CLIENT_REFUSED] = "refused",         [CLIENT_RESET] = "reset",
    [CLIENT_TIMED_OUT] = "timed_out",     [CLIENT_WRONG_REPLY] = "wrong_reply",
    [CLIENT_SHORT_REPLY] = "short_reply", [CLIENT_LONG_REPLY] = "long_reply",
    [CLIENT_EARLY_REPLY] = "early_reply", [CLIENT_NO_SOCKET] = "no_socket",
};

enum state { IDLE, CONNECTING, HALF_SENT, AWAITING_REPLY };

struct connection {
    struct queue_link deadline; /* first member: found again from the queue */
    struct queue_link pause;
    uint64_t started_ns;
    int fd;
    enum state state;
    uint32_t received;
};

struct client {
    struct client_options options;
    struct source source;
    struct client_tally *tally;
    uint64_t to_start, to_end;
    struct queue deadlines, pauses_to_send, pauses_to_read;
    int epoll;
    int *silent;
    uint32_t silent_count;
    struct epoll_event *events;
    struct connection *connections;
};

static struct connection *of_deadline(struct queue_link *link) {
    return (struct connection *)((char *)link - offsetof(struct connection, deadline));
}

static struct connection *of_pause(struct queue_link *link) {
    return (struct connection *)((char *)link - offsetof(struct connection, pause));
}

uint64_t client_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static enum client_failure failure_of(int error) {
    switch (error) {
    case ECONNREFUSED:
    case ENETUNREACH:
    case EHOSTUNREACH:
        return CLIENT_REFUSED;
    case ETIMEDOUT:
        return CLIENT_TIMED_OUT;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
    case EADDRINUSE:
    case EADDRNOTAVAIL:
        return CLIENT_NO_SOCKET;
    default:
        return CLIENT_RESET;
    }
}

/* A non-blocking socket on its way to the server, or -1 with errno. */
static int begin_connecting(struct client *client) {
    int fd = socket(client->options.server.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (source_bind(&client->source, fd) &&
        (connect(fd, (struct sockaddr *)&client->options.server, client->options.server_length) == 0 ||
         errno == EINPROGRESS))
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/* True when the connection is under way. */
static bool try_to_start(struct client *client, struct connection *connection) {
    connection->started_ns = client_now_ns();
    connection->received = 0;
    connection->state = CONNECTING;
    connection->fd = begin_connecting(client);
    if (connection->fd < 0)
        return false;
    int yes = 1;
    if (client->options.split_ns > 0)
        setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    /* Edge-triggered: one registration, and an edge each for established, reply and close. */
    struct epoll_event interest = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = connection};
    if (epoll_ctl(client->epoll, EPOLL_CTL_ADD, connection->fd, &interest) != 0) {
        int error = errno;
        close(connection->fd);
        errno = error;
        return false;
    }
    queue_append(&client->deadlines, &connection->deadline, connection->started_ns + client->options.timeout_ns);
    return true;
}

/* Starts attempts in this place until one is under way or none is left. */
static void start(struct client *client, struct connection *connection) {
    while (client->to_start > 0) {
        client->to_start--;
        if (try_to_start(client, connection))
            return;
        client->tally->failures[failure_of(errno)]++;
        client->tally->ended_ns = client_now_ns();
        client->to_end--;
    }
    connection->state = IDLE;
}

static void end(struct client *client, struct connection *connection) {
    queue_remove(&connection->deadline);
    queue_remove(&connection->pause);
    close(connection->fd);
    client->to_end--;
    start(client, connection);
}

static void fail(struct client *client, struct connection *connection, enum client_failure failure) {
    client->tally->failures[failure]++;
    client->tally->ended_ns = client_now_ns();
    end(client, connection);
}

static void complete(struct client *client, struct connection *connection) {
    uint64_t now = client_now_ns();
    client->tally->completed++;
    client->tally->ended_ns = now;
    histogram_record(&client->tally->latency_ns, now - connection->started_ns);
    end(client, connection);
}

/* False when the bytes could not be sent; the connection has then failed. */
static bool send_part(struct client *client, struct connection *connection, size_t from, size_t to) {
    ssize_t sent = send(connection->fd, &CONTRACT_REQUEST[from], to - from, MSG_NOSIGNAL);
    if (sent == (ssize_t)(to - from))
        return true;
    /* A fresh socket takes a request whole: anything else is the server's doing. */
    fail(client, connection, sent < 0 ? failure_of(errno) : CLIENT_RESET);
    return false;
}

static void await_reply(struct client *client, struct connection *connection) {
    connection->state = AWAITING_REPLY;
    if (client->options.slow_read_ns > 0)
        queue_append(&client->pauses_to_read, &connection->pause, client_now_ns() + client->options.slow_read_ns);
}

static void established(struct client *client, struct connection *connection) {
    size_t part = client->options.split_ns > 0 ? FIRST_PART_BYTES : CONTRACT_REQUEST_BYTES;
    if (!send_part(client, connection, 0, part))
        return;
    if (part == CONTRACT_REQUEST_BYTES) {
        await_reply(client, connection);
    } else {
        connection->state = HALF_SENT;
        queue_append(&client->pauses_to_send, &connection->pause, client_now_ns() + client->options.split_ns);
    }
}

/* Reads once. True when more may be read now; false when it would block or the connection has ended. */
static bool read_some(struct client *client, struct connection *connection, size_t most) {
    char bytes[READ_BYTES];
    ssize_t got = recv(connection->fd, bytes, most, 0);
    if (got < 0) {
        if (errno != EAGAIN && errno != EINTR)
            fail(client, connection, failure_of(errno));
        return errno == EINTR;
    }
    if (got == 0) {
        if (connection->received == CONTRACT_REPLY_BYTES)
            complete(client, connection);
        else
            fail(client, connection, CLIENT_SHORT_REPLY);
        return false;
    }
    if (connection->received + (size_t)got > CONTRACT_REPLY_BYTES) {
        fail(client, connection, CLIENT_LONG_REPLY);
        return false;
    }
    if (memcmp(bytes, &CONTRACT_REPLY[connection->received], (size_t)got) != 0) {
        fail(client, connection, CLIENT_WRONG_REPLY);
        return false;
    }
    connection->received += (uint32_t)got;
    return true;
}

static void connection_failed(struct client *client, struct connection *connection) {
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &error, &length);
    fail(client, connection, failure_of(error ? error : ECONNRESET));
}

static void handle(struct client *client, struct connection *connection, uint32_t events) {
    switch (connection->state) {
    case IDLE:
        break;
    case CONNECTING:
        if (events & (EPOLLERR | EPOLLHUP))
            connection_failed(client, connection);
        else if (events & EPOLLOUT)
            established(client, connection);
        break;
    case HALF_SENT:
        if (events & EPOLLERR)
            connection_failed(client, connection);
        else if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP))
            fail(client, connection, CLIENT_EARLY_REPLY);
        break;
    case AWAITING_REPLY:
        /* Edge-triggered, so read until it would block; a slow reader looks when its pause is over instead. */
        if (client->options.slow_read_ns == 0)
            while (read_some(client, connection, READ_BYTES))
                ;
        break;
    }
}

static void resume_sending(struct client *client, struct connection *connection) {
    queue_remove(&connection->pause);
    if (send_part(client, connection, FIRST_PART_BYTES, CONTRACT_REQUEST_BYTES))
        await_reply(client, connection);
}

static void resume_reading(struct client *client, struct connection *connection, uint64_t now_ns) {
    queue_remove(&connection->pause);
    uint64_t before = client->to_end;
    read_some(client, connection, SLOW_READ_BYTES);
    if (client->to_end == before)
        queue_append(&client->pauses_to_read, &connection->pause, now_ns + client->options.slow_read_ns);
}

static void run_timers(struct client *client) {
    uint64_t now_ns = client_now_ns();
    struct queue_link *link;
    while ((link = queue_due(&client->pauses_to_send, now_ns)) != NULL)
        resume_sending(client, of_pause(link));
    while ((link = queue_due(&client->pauses_to_read, now_ns)) != NULL)
        resume_reading(client, of_pause(link), now_ns);
    while ((link = queue_due(&client->deadlines, now_ns)) != NULL)
        fail(client, of_deadline(link), CLIENT_TIMED_OUT);
}

/* Milliseconds until something is due, rounded up. Called only while a connection is under way. */
static int wait_ms(const struct client *client) {
    const struct queue *queues[] = {&client->deadlines, &client->pauses_to_send, &client->pauses_to_read};
    uint64_t due = UINT64_MAX;
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++) {
        const struct queue_link *first = queue_first(queues[i]);
        if (first != NULL && first->due < due)
            due = first->due;
    }
    uint64_t now_ns = client_now_ns();
    return due <= now_ns ? 0 : (int)((due - now_ns) / 1000000 + 1);
}

struct client *client_create(const struct client_options *options) {
    struct client *client = calloc(1, sizeof *client);
    if (client == NULL)
        return NULL;
    client->options = *options;
    client->connections = calloc(options->in_flight, sizeof *client->connections);
    client->events = calloc(options->in_flight, sizeof *client->events);
    client->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (client->connections == NULL || client->events == NULL || client->epoll < 0) {
        client_destroy(client);
        return NULL;
    }
    queue_reset(&client->deadlines);
    queue_reset(&client->pauses_to_send);
    queue_reset(&client->pauses_to_read);
    source_begin(&client->source, options->seed, &options->server);
    return client;
}

void client_destroy(struct client *client) {
    for (uint32_t i = 0; i < client->silent_count; i++)
        close(client->silent[i]);
    if (client->epoll >= 0)
        close(client->epoll);
    free(client->silent);
    free(client->events);
    free(client->connections);
    free(client);
}

void client_run(struct client *client, uint64_t connections, struct client_tally *tally) {
    memset(tally, 0, sizeof *tally);
    histogram_reset(&tally->latency_ns);
    client->tally = tally;
    client->to_start = client->to_end = connections;
    for (uint32_t i = 0; i < client->options.in_flight && client->to_start > 0; i++)
        start(client, &client->connections[i]);
    while (client->to_end > 0) {
        int ready = epoll_wait(client->epoll, client->events, (int)client->options.in_flight, wait_ms(client));
        for (int i = 0; i < ready; i++)
            handle(client, client->events[i].data.ptr, client->events[i].events);
        run_timers(client);
    }
}

/* Waits until the connection is established. */
static bool await_established(int fd) {
    struct pollfd entry = {.fd = fd, .events = POLLOUT};
    return poll(&entry, 1, SILENT_CONNECT_MS) == 1 && (entry.revents & (POLLERR | POLLHUP)) == 0;
}

uint32_t client_open_silent(struct client *client, uint32_t count) {
    client->silent = calloc(count ? count : 1, sizeof *client->silent);
    if (client->silent == NULL)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        int fd = begin_connecting(client);
        if (fd < 0)
            continue;
        if (await_established(fd))
            client->silent[client->silent_count++] = fd;
        else
            close(fd);
    }
    return client->silent_count;
}

uint32_t client_silent_open(const struct client *client) {
    uint32_t open = 0;
    for (uint32_t i = 0; i < client->silent_count; i++) {
        char byte;
        ssize_t got = recv(client->silent[i], &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        open += got < 0 && errno == EAGAIN;
    }
    return open;
}
