/* A queue of things that are all due the same time after they were put in: first in, first due, so no timer heap is
 * needed. */
#ifndef ACCEPT_QUEUE_H
#define ACCEPT_QUEUE_H

#include <stddef.h>
#include <stdint.h>

/* One place in a queue, a member of what is queued. Zero means in no queue. */
struct queue_link {
    struct queue_link *previous, *next;
    uint64_t due;
};

/* A ring around `ends`. */
struct queue {
    struct queue_link ends;
};

static inline void queue_reset(struct queue *queue) {
    queue->ends.previous = queue->ends.next = &queue->ends;
}

/* `due` is in the unit of the queue's owner and never less than that of the one before. */
static inline void queue_append(struct queue *queue, struct queue_link *link, uint64_t due) {
    link->due = due;
    link->previous = queue->ends.previous;
    link->next = &queue->ends;
    link->previous->next = link;
    queue->ends.previous = link;
}

/* Harmless when it is in no queue. */
static inline void queue_remove(struct queue_link *link) {
    if (link->next == NULL)
        return;
    link->previous->next = link->next;
    link->next->previous = link->previous;
    link->previous = link->next = NULL;
}

/* The first to be due, or NULL. */
static inline struct queue_link *queue_first(const struct queue *queue) {
    return queue->ends.next == &queue->ends ? NULL : queue->ends.next;
}

/* The first one whose time has come by `now`, or NULL. */
static inline struct queue_link *queue_due(const struct queue *queue, uint64_t now) {
    struct queue_link *first = queue_first(queue);
    return first != NULL && first->due <= now ? first : NULL;
}

#endif
