#include "misbehaving.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../src/contract.h"

enum { MOST_OPEN = 1024, LOOK_FOR_MORE_MS = 50 };

struct held {
    int fds[MOST_OPEN];
    unsigned count;
};

/* Reads until the request is complete; false when the client left. */
static bool read_request(struct misbehaving *server, int fd) {
    char request[CONTRACT_REQUEST_LIMIT];
    size_t received = 0;
    while (received < CONTRACT_REQUEST_BYTES) {
        ssize_t got = recv(fd, request + received, sizeof request - received, 0);
        if (got <= 0)
            return false;
        received += (size_t)got;
        if (received < CONTRACT_REQUEST_BYTES)
            server->split_requests++;
    }
    return true;
}

static void reset(int fd) {
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close(fd);
}

static void answer(int fd, enum misbehaviour misbehaviour, struct held *held) {
    char reply[CONTRACT_REPLY_BYTES + 1] = CONTRACT_REPLY;
    size_t length = CONTRACT_REPLY_BYTES, first = 0;
    switch (misbehaviour) {
    case WRONG_BYTE:
        reply[CONTRACT_REPLY_BYTES - 5] ^= 1;
        break;
    case SHORT_REPLY:
        length--;
        break;
    case LONG_REPLY:
        reply[length++] = '!';
        break;
    case REPLY_IN_TWO:
        first = 7;
        break;
    case NO_REPLY:
        length = 0;
        break;
    case RESET:
        reset(fd);
        return;
    default:
        break;
    }
    if (first > 0) {
        send(fd, reply, first, MSG_NOSIGNAL);
        usleep(1000);
    }
    send(fd, reply + first, length - first, MSG_NOSIGNAL);
    if ((misbehaviour == NO_REPLY || misbehaviour == NO_CLOSE) && held->count < MOST_OPEN)
        held->fds[held->count++] = fd;
    else
        close(fd);
}

static void serve_one(struct misbehaving *server, int fd, unsigned number, struct held *held) {
    enum misbehaviour misbehaviour = number % server->every == 0 ? server->misbehaviour : GOOD;
    char some[CONTRACT_REQUEST_BYTES];
    bool there = misbehaviour == ANSWER_AT_FIRST_BYTE ? recv(fd, some, sizeof some, 0) > 0 : read_request(server, fd);
    if (there)
        answer(fd, misbehaviour, held);
    else
        close(fd);
}

static bool readable(int fd, int milliseconds) {
    struct pollfd entry = {.fd = fd, .events = POLLIN};
    return poll(&entry, 1, milliseconds) == 1;
}

static void *serve(void *argument) {
    struct misbehaving *server = argument;
    static struct held held; /* one such server at a time */
    int gathered[MOST_OPEN];
    unsigned count = 0, number = 0;
    held.count = 0;
    struct pollfd entries[] = {{.fd = server->listener, .events = POLLIN}, {.fd = server->stop[0], .events = POLLIN}};
    while (poll(entries, 2, -1) >= 0 && !entries[1].revents) {
        int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0)
            continue;
        server->connections++;
        gathered[count++] = fd;
        if (count < server->gather)
            continue;
        if (server->gather > 1 && readable(server->listener, LOOK_FOR_MORE_MS))
            server->more_than_gathered++;
        for (unsigned i = 0; i < count; i++)
            serve_one(server, gathered[i], ++number, &held);
        count = 0;
    }
    for (unsigned i = 0; i < held.count; i++)
        close(held.fds[i]);
    for (unsigned i = 0; i < count; i++)
        close(gathered[i]);
    return NULL;
}

bool misbehaving_start(struct misbehaving *server) {
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof local;
    if (server->every == 0)
        server->every = 1;
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (bind(server->listener, (struct sockaddr *)&local, length) != 0 || listen(server->listener, 1024) != 0 ||
        pipe2(server->stop, O_CLOEXEC) != 0)
        return false;
    getsockname(server->listener, (struct sockaddr *)&local, &length);
    server->port = ntohs(local.sin_port);
    return pthread_create(&server->thread, NULL, serve, server) == 0;
}

void misbehaving_stop(struct misbehaving *server) {
    close(server->stop[1]);
    pthread_join(server->thread, NULL);
    close(server->stop[0]);
    close(server->listener);
}
