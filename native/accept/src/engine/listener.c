/*
 * Listening sockets: one per loop on the same port (SO_REUSEPORT, any kernel from 3.9), IPv4 or IPv6.
 * Shows TCP_DEFER_ACCEPT; try it: accept-engine --set defer-accept=off.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "internal.h"

/* The length of the socket address, 0 when `text` is no address. */
static socklen_t parse_address(const char *text, uint16_t port, struct sockaddr_storage *address)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;
    memset(address, 0, sizeof *address);
    if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        return sizeof *v4;
    }
    if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        return sizeof *v6;
    }
    return 0;
}

static int fail(int fd, char *fault, size_t fault_bytes, const struct accept_options *options, uint16_t port, int error)
{
    if (fd >= 0)
        close(fd);
    if (error == EADDRINUSE)
        snprintf(fault, fault_bytes, "port %u on %s is in use: stop the other server or choose another port", port,
                 options->address);
    else
        snprintf(fault, fault_bytes, "cannot listen on %s port %u: %s", options->address, port, strerror(error));
    return -1;
}

static int bound_socket(const struct accept_options *options, uint16_t port, bool share, char *fault, size_t fault_bytes)
{
    struct sockaddr_storage address;
    socklen_t length = parse_address(options->address, port, &address);
    if (!length) {
        snprintf(fault, fault_bytes, "'%s' is not an IPv4 or IPv6 address", options->address);
        return -1;
    }
    int on = 1;
    int fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        (share && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) < 0) ||
        bind(fd, (struct sockaddr *)&address, length) < 0)
        return fail(fd, fault, fault_bytes, options, port, errno);
    return fd;
}

/* SO_REUSEPORT would silently share the port with another server of the same user; a socket without it is told. */
bool port_taken(const struct accept_options *options, char *fault, size_t fault_bytes)
{
    int fd = bound_socket(options, options->port, false, fault, fault_bytes);
    if (fd >= 0)
        close(fd);
    return fd < 0;
}

/* A listening socket, or -1 with a sentence. `*port` 0 is replaced by the one the kernel chose. */
int listener_open(const struct accept_options *options, const struct plan *plan, uint16_t *port, char *fault,
                  size_t fault_bytes)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    int seconds = 1;
    int fd = bound_socket(options, *port, true, fault, fault_bytes);
    if (fd < 0)
        return -1;
    if ((plan->on[ACCEPT_DEFER_ACCEPT] && setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof seconds) < 0) ||
        listen(fd, (int)options->backlog) < 0 || getsockname(fd, (struct sockaddr *)&address, &length) < 0)
        return fail(fd, fault, fault_bytes, options, *port, errno);
    *port = ntohs(address.ss_family == AF_INET ? ((struct sockaddr_in *)&address)->sin_port
                                               : ((struct sockaddr_in6 *)&address)->sin6_port);
    return fd;
}
