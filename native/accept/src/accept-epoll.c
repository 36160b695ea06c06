/* Control: one epoll loop, everything inline, sockets non-blocking. It does not use TCP_DEFER_ACCEPT. */
#include <sys/socket.h>

#include "inline.h"

int main(int count, char **arguments) {
    static struct inline_server inlined = {.accept_flags = SOCK_NONBLOCK};
    inlined.server = server_start(count, arguments, false);
    inline_begin(&inlined);
    server_ready(&inlined.server);
    inline_serve(&inlined, false, UINT64_MAX);
    return inline_finish(&inlined, "epoll with accept4, recv, send with MSG_MORE and close inline");
}
