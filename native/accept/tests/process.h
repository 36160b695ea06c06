/* A program under test, started with its output captured. */
#ifndef ACCEPT_TESTS_PROCESS_H
#define ACCEPT_TESTS_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process {
    pid_t pid;
    int output, errors;
    char output_text[65536], errors_text[4096];
    uint16_t port;
};

/* Starts OUT/name, OUT being the folder above the running test's own; `arguments` ends with NULL. A `descriptors` above
 * 0 is its limit of them. False when it cannot. */
bool process_start(struct process *process, const char *name, const char *const arguments[], unsigned descriptors);

/* Starts a server on a free port and waits until it says `listening`. `extra` ends with NULL. */
bool process_serve(struct process *process, const char *name, const char *const extra[], unsigned descriptors);

/* Reads all output to its end; returns the exit code, 128 + signal when it was killed. */
int process_finish(struct process *process);

/* SIGTERM, then process_finish(). */
int process_stop(struct process *process);

/* The whole number behind "name": in the captured output, -1 when there is none. */
int64_t process_number(const struct process *process, const char *name);

#endif
