/*
 * What this kernel can do, found by trying it, not by its version: distributions backport, containers forbid.
 * Works from 5.10 on; try it: accept-engine --without multishot, and read the path it prints when it stops.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "internal.h"

/*
 * A ring of `entries` requests, or as large as the memory limit of an ordinary user allows (before 5.12 rings were charged to
 * RLIMIT_MEMLOCK). A short queue of requests does not make that of completions short: one request yields many connections.
 */
int ring_init_sized(struct io_uring *ring, unsigned entries, unsigned flags)
{
    unsigned completions = 2 * (entries < 4096 ? 4096 : entries);
    for (;; completions /= 4) {
        struct io_uring_params parameters = {.flags = flags | IORING_SETUP_CQSIZE, .cq_entries = completions};
        if (entries > completions / 2)
            entries = completions / 2;
        int result = io_uring_queue_init_params(entries, ring, &parameters);
        if (result != -ENOMEM || completions < 512)
            return result;
    }
}

static int try_setup(unsigned flags)
{
    struct io_uring ring;
    int result = io_uring_queue_init(4, &ring, flags);
    if (result == 0)
        io_uring_queue_exit(&ring);
    return result;
}

/* Submits what is queued, waits for one completion and returns its result. */
static int complete_one(struct io_uring *ring, unsigned *flags)
{
    struct io_uring_cqe *cqe;
    int result = io_uring_submit_and_wait(ring, 1);
    if (result < 0)
        return result;
    if ((result = io_uring_peek_cqe(ring, &cqe)) < 0)
        return result;
    result = cqe->res;
    *flags = cqe->flags;
    io_uring_cqe_seen(ring, cqe);
    return result;
}

static int try_skip_success(struct io_uring *ring)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
    io_uring_prep_nop(sqe);
    sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
    sqe->user_data = 1;
    sqe = io_uring_get_sqe(ring);
    io_uring_prep_nop(sqe);
    sqe->user_data = 2;
    int result = io_uring_submit_and_wait(ring, 1);
    struct io_uring_cqe *cqe;
    if (result < 0 || (result = io_uring_peek_cqe(ring, &cqe)) < 0)
        return result;
    if (cqe->user_data != 2)
        result = cqe->res < 0 ? cqe->res : -EINVAL;
    io_uring_cqe_seen(ring, cqe);
    while (io_uring_peek_cqe(ring, &cqe) == 0)
        io_uring_cqe_seen(ring, cqe);
    return result;
}

/* A listening UNIX socket with a client already waiting: accept on it completes at once. */
static int waiting_client(int sockets[2])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t length = sizeof(sa_family_t); /* no name: the kernel picks an abstract one */
    sockets[0] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockets[1] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (sockets[0] < 0 || sockets[1] < 0 || bind(sockets[0], (struct sockaddr *)&address, length) < 0 ||
        listen(sockets[0], 1) < 0)
        return -errno;
    length = sizeof address;
    if (getsockname(sockets[0], (struct sockaddr *)&address, &length) < 0 ||
        connect(sockets[1], (struct sockaddr *)&address, length) < 0)
        return -errno;
    return 0;
}

static int try_multishot(struct io_uring *ring, int listener)
{
    unsigned flags = 0;
    struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
    io_uring_prep_multishot_accept(sqe, listener, NULL, NULL, SOCK_CLOEXEC);
    int fd = complete_one(ring, &flags);
    if (fd < 0)
        return fd;
    close(fd);
    return flags & IORING_CQE_F_MORE ? 0 : -EINVAL;
}

static int try_direct(struct io_uring *ring, int listener)
{
    unsigned flags = 0;
    int result = io_uring_register_files_sparse(ring, 2);
    if (result < 0)
        return result;
    struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
    io_uring_prep_accept_direct(sqe, listener, NULL, NULL, 0, IORING_FILE_INDEX_ALLOC - 1); /* the helper adds 1 */
    int slot = complete_one(ring, &flags);
    if (slot < 0)
        return slot;
    sqe = io_uring_get_sqe(ring);
    io_uring_prep_close_direct(sqe, (unsigned)slot);
    return complete_one(ring, &flags);
}

/* Runs a trial that needs a listener in a ring of its own, so that what it leaves armed ends with that ring. */
static int with_listener(int (*trial)(struct io_uring *, int))
{
    struct io_uring ring;
    int sockets[2] = {-1, -1};
    int result = io_uring_queue_init(8, &ring, 0);
    if (result < 0)
        return result;
    result = waiting_client(sockets);
    if (result == 0)
        result = trial(&ring, sockets[0]);
    io_uring_queue_exit(&ring);
    for (int i = 0; i < 2; i++)
        if (sockets[i] >= 0)
            close(sockets[i]);
    return result;
}

static int try_feature(enum accept_feature feature, const struct probe *probe)
{
    struct io_uring ring;
    int result;
    if (feature != ACCEPT_HAS_RING && !probe->has[ACCEPT_HAS_RING])
        return -ENOSYS;
    switch (feature) {
    case ACCEPT_HAS_RING:
        return try_setup(0);
    case ACCEPT_HAS_SINGLE_ISSUER:
        return try_setup(IORING_SETUP_SINGLE_ISSUER);
    case ACCEPT_HAS_DEFER_TASKRUN:
        return probe->has[ACCEPT_HAS_SINGLE_ISSUER] ? try_setup(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)
                                                    : -EINVAL;
    case ACCEPT_HAS_COOP_TASKRUN:
        return try_setup(IORING_SETUP_COOP_TASKRUN);
    case ACCEPT_HAS_MULTISHOT:
        return with_listener(try_multishot);
    case ACCEPT_HAS_DIRECT:
        return with_listener(try_direct);
    case ACCEPT_HAS_SKIP_SUCCESS:
        if ((result = io_uring_queue_init(8, &ring, 0)) < 0)
            return result;
        result = try_skip_success(&ring);
        io_uring_queue_exit(&ring);
        return result;
    default:
        return -EINVAL;
    }
}

void probe_kernel(struct probe *probe, uint32_t without)
{
    memset(probe, 0, sizeof *probe);
    for (int feature = 0; feature < ACCEPT_FEATURES; feature++) {
        if (without & 1u << feature) {
            probe->pretended[feature] = true;
            continue;
        }
        int result = try_feature((enum accept_feature)feature, probe);
        probe->has[feature] = result >= 0;
        probe->error[feature] = result < 0 ? -result : 0;
    }
}
