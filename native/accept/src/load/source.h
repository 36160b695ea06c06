/* Source addresses and ports in a fixed order, so that no random port search of the kernel and no reused pair disturbs
 * a measurement. */
#ifndef ACCEPT_LOAD_SOURCE_H
#define ACCEPT_LOAD_SOURCE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct source {
    bool used;
    struct sockaddr_in next;
    uint32_t ports_left;
};

/* Begins where the seed says. Only a server in 127/8 gets bound sources; for others the kernel chooses. */
void source_begin(struct source *source, uint64_t seed, const struct sockaddr_storage *server);

/* Binds the socket to the next free pair. False, errno set, when it cannot. */
bool source_bind(struct source *source, int fd);

#endif
