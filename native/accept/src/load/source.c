#include "source.h"

#include <arpa/inet.h>
#include <errno.h>

enum {
    /* Below Linux's ephemeral range, above the privileged ports. */
    FIRST_PORT = 16384,
    PORTS = 16384,
    /* A port may be taken by a listener on all addresses. */
    BIND_ATTEMPTS = 64,
};

static uint64_t mix(uint64_t value) {
    value += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

static in_addr_t address_of(uint32_t number) {
    /* 127.1.0.1 to 127.254.255.254: never 127.0.0.1, where servers listen, nor a last byte of 0 or 255. */
    uint32_t last = 1 + number % 254;
    uint32_t middle = number / 254 % 256;
    uint32_t second = 1 + number / 254 / 256 % 254;
    return htonl(UINT32_C(127) << 24 | second << 16 | middle << 8 | last);
}

static uint32_t number_of(in_addr_t address) {
    uint32_t host = ntohl(address);
    return ((host >> 16 & 255) - 1) * 254 * 256 + (host >> 8 & 255) * 254 + (host & 255) - 1;
}

void source_begin(struct source *source, uint64_t seed, const struct sockaddr_storage *server) {
    const struct sockaddr_in *address = (const struct sockaddr_in *)server;
    source->used = server->ss_family == AF_INET && ntohl(address->sin_addr.s_addr) >> 24 == 127;
    if (!source->used)
        return;
    uint64_t start = mix(seed ^ mix(ntohs(address->sin_port)));
    source->next = (struct sockaddr_in){.sin_family = AF_INET};
    source->next.sin_addr.s_addr = address_of((uint32_t)(start >> 32));
    source->next.sin_port = htons((uint16_t)(FIRST_PORT + start % PORTS));
    source->ports_left = PORTS;
}

static void advance(struct source *source) {
    uint32_t offset = ntohs(source->next.sin_port) - FIRST_PORT + 1u;
    source->next.sin_port = htons((uint16_t)(FIRST_PORT + offset % PORTS));
    if (--source->ports_left == 0) {
        source->ports_left = PORTS;
        source->next.sin_addr.s_addr = address_of(number_of(source->next.sin_addr.s_addr) + 1);
    }
}

bool source_bind(struct source *source, int fd) {
    if (!source->used)
        return true;
    for (int attempt = 0; attempt < BIND_ATTEMPTS; attempt++) {
        int bound = bind(fd, (struct sockaddr *)&source->next, sizeof source->next);
        advance(source);
        if (bound == 0)
            return true;
        if (errno != EADDRINUSE)
            return false;
    }
    return false;
}
