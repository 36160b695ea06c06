/*
 * What BusyBox lacks for a reproducible trial, in the guest only.
 *
 *   launch seed SEED             credits the kernel's random generator with bytes that follow from SEED
 *   launch batch COMMAND...      runs COMMAND under SCHED_BATCH, which takes wake-up preemption out
 *   launch ordinary COMMAND...   runs COMMAND as it comes
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* One step of SplitMix64 (Steele, Lea and Flood, 2014): enough to spread a small seed over the pool. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static int seed(const char *text)
{
    enum { words = 32 };
    struct {
        int bits, bytes;
        uint64_t pool[words];
    } entropy = {.bits = words * 64, .bytes = words * 8};
    uint64_t state = strtoull(text, NULL, 10);
    for (int i = 0; i < words; i++)
        entropy.pool[i] = next(&state);
    int random = open("/dev/random", O_RDWR | O_CLOEXEC);
    if (random < 0 || ioctl(random, RNDADDENTROPY, &entropy) < 0 || ioctl(random, RNDRESEEDCRNG) < 0) {
        fprintf(stderr, "launch: cannot seed the random generator: %s\n", strerror(errno));
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 3 && !strcmp(argv[1], "seed"))
        return seed(argv[2]);
    if (argc >= 3 && (!strcmp(argv[1], "batch") || !strcmp(argv[1], "ordinary"))) {
        struct sched_param parameters = {0};
        /* musl's own sched_setscheduler refuses: it would be a thread's in a process's clothes. */
        if (argv[1][0] == 'b' && syscall(SYS_sched_setscheduler, 0, SCHED_BATCH, &parameters) < 0) {
            fprintf(stderr, "launch: cannot set SCHED_BATCH: %s\n", strerror(errno));
            return 1;
        }
        execv(argv[2], argv + 2);
        fprintf(stderr, "launch: cannot run %s: %s\n", argv[2], strerror(errno));
        return 127;
    }
    fprintf(stderr, "usage: launch seed SEED | batch COMMAND... | ordinary COMMAND...\n");
    return 2;
}
