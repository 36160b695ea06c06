/*
 * Control: plain system calls behind TCP_DEFER_ACCEPT, no readiness and no ring. While every request is there when its
 * connection is accepted, the server sleeps in accept4 itself; once a client is slow it goes by epoll until none is, so
 * that a split or missing request blocks nobody.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>

#include "inline.h"

static struct inline_server inlined = {.accept_flags = 0, .transfer_flags = MSG_DONTWAIT};
static volatile sig_atomic_t stopping;
static int calm_listener_flags;

/* A blocking accept4 is interrupted, or finds the listener non-blocking when it has not begun yet: no signal is lost
 * between check and call. */
static void stop(int signal) {
    (void)signal;
    stopping = 1;
    fcntl(inlined.server.listener, F_SETFL, calm_listener_flags | O_NONBLOCK);
}

/* Signals come by handler while accept4 blocks, else by signalfd. */
static void take_signals_by_handler(bool by_handler) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(by_handler ? SIG_UNBLOCK : SIG_BLOCK, &signals, NULL);
}

static void serve_while_calm(void) {
    fcntl(inlined.server.listener, F_SETFL, calm_listener_flags);
    take_signals_by_handler(true);
    while (!stopping && inlined.slow.open == 0)
        inline_accept_one(&inlined);
    take_signals_by_handler(false);
    fcntl(inlined.server.listener, F_SETFL, calm_listener_flags | O_NONBLOCK);
    inlined.counters.system_calls += 4;
}

int main(int count, char **arguments) {
    inlined.server = server_start(count, arguments, true);
    inline_begin(&inlined);
    calm_listener_flags = fcntl(inlined.server.listener, F_GETFL) & ~O_NONBLOCK;
    struct sigaction action = {.sa_handler = stop}; /* without SA_RESTART */
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    server_ready(&inlined.server);
    while (!stopping) {
        serve_while_calm();
        if (!stopping && inline_serve(&inlined, true, UINT64_MAX) == INLINE_SIGNAL)
            stopping = 1;
    }
    return inline_finish(&inlined,
                         "accept4, recv, send with MSG_MORE and close, TCP_DEFER_ACCEPT, epoll for slow clients only");
}
