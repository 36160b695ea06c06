#include "slow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

bool slow_complete(const char *request, size_t bytes) {
    return bytes >= CONTRACT_END_BYTES &&
           memcmp(request + bytes - CONTRACT_END_BYTES, CONTRACT_END, CONTRACT_END_BYTES) == 0;
}

void slow_begin(struct slow *slow, int epoll, uint64_t timeout_ms, struct server_counters *counters) {
    *slow = (struct slow){.epoll = epoll, .timeout_ms = timeout_ms, .counters = counters};
    queue_reset(&slow->deadlines);
}

static struct slow_connection *of_deadline(struct queue_link *link) {
    return (struct slow_connection *)((char *)link - offsetof(struct slow_connection, deadline));
}

static struct slow_connection *take(struct slow *slow) {
    struct slow_connection *connection = slow->free;
    if (connection == NULL)
        return malloc(sizeof *connection);
    slow->free = connection->deadline.next ? of_deadline(connection->deadline.next) : NULL;
    return connection;
}

static void drop(struct slow *slow, struct slow_connection *connection) {
    queue_remove(&connection->deadline);
    close(connection->fd); /* takes it out of epoll too: no descriptor shares it */
    slow->counters->system_calls++;
    connection->deadline.next = slow->free ? &slow->free->deadline : NULL;
    slow->free = connection;
    slow->open--;
}

void slow_add(struct slow *slow, int fd, const char *request, size_t bytes) {
    struct slow_connection *connection = take(slow);
    struct epoll_event interest = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = connection};
    if (connection == NULL) {
        slow->counters->refused++;
        close(fd);
        return;
    }
    connection->fd = fd;
    connection->received = (uint32_t)bytes;
    memcpy(connection->request, request, bytes);
    queue_append(&slow->deadlines, &connection->deadline, server_now_ms() + slow->timeout_ms);
    slow->open++;
    slow->counters->system_calls++;
    if (epoll_ctl(slow->epoll, EPOLL_CTL_ADD, fd, &interest) != 0) {
        slow->counters->refused++;
        drop(slow, connection);
    }
}

static void reply(struct slow *slow, struct slow_connection *connection) {
    slow->counters->system_calls++;
    if (send(connection->fd, CONTRACT_REPLY, CONTRACT_REPLY_BYTES, MSG_MORE | MSG_NOSIGNAL | MSG_DONTWAIT) ==
        CONTRACT_REPLY_BYTES)
        slow->counters->replied++;
    drop(slow, connection);
}

void slow_ready(struct slow *slow, struct slow_connection *connection) {
    size_t room = CONTRACT_REQUEST_LIMIT - connection->received;
    ssize_t got = recv(connection->fd, connection->request + connection->received, room, MSG_DONTWAIT);
    slow->counters->system_calls++;
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) { /* gone, or closed with half a request: nothing to answer */
        drop(slow, connection);
        return;
    }
    connection->received += (uint32_t)got;
    if (slow_complete(connection->request, connection->received)) {
        reply(slow, connection);
    } else if (connection->received == CONTRACT_REQUEST_LIMIT) {
        slow->counters->refused++;
        drop(slow, connection);
    }
}

void slow_expire(struct slow *slow) {
    struct queue_link *link;
    if (slow->open == 0)
        return;
    uint64_t now_ms = server_now_ms();
    while ((link = queue_due(&slow->deadlines, now_ms)) != NULL) {
        slow->counters->timed_out++;
        drop(slow, of_deadline(link));
    }
}

bool slow_drop_oldest(struct slow *slow) {
    struct queue_link *link = queue_first(&slow->deadlines);
    if (link == NULL)
        return false;
    slow->counters->refused++;
    drop(slow, of_deadline(link));
    return true;
}

int slow_wait_ms(const struct slow *slow) {
    const struct queue_link *first = queue_first(&slow->deadlines);
    if (first == NULL)
        return -1;
    uint64_t now_ms = server_now_ms();
    return first->due <= now_ms ? 0 : (int)(first->due - now_ms);
}

void slow_end(struct slow *slow) {
    struct queue_link *link;
    while ((link = queue_first(&slow->deadlines)) != NULL)
        drop(slow, of_deadline(link));
    while (slow->free != NULL)
        free(take(slow));
}
