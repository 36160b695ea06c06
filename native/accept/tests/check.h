/* Tests that print `ok NAME` or `not ok NAME: why`. A test is a function that returns at its first failed check. */
#ifndef ACCEPT_TESTS_CHECK_H
#define ACCEPT_TESTS_CHECK_H

#include <inttypes.h>
#include <stdbool.h>

/* Runs one test and prints its line. */
void check_run(const char *name, void (*test)(void));

/* The exit code for main: 1 when a test failed or none ran. */
int check_finish(void);

/* Notes that the running test failed, as printf would say why. */
void check_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same test fails only once. */
bool check_failed(void);

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            check_fail(__FILE__, __LINE__, "%s", #condition);                                                          \
            return;                                                                                                    \
        }                                                                                                              \
    } while (0)

#define CHECK_EQUAL(got, wanted)                                                                                       \
    do {                                                                                                               \
        int64_t got_ = (int64_t)(got), wanted_ = (int64_t)(wanted);                                                    \
        if (got_ != wanted_) {                                                                                         \
            check_fail(__FILE__, __LINE__, "%s is %" PRId64 ", not %" PRId64, #got, got_, wanted_);                    \
            return;                                                                                                    \
        }                                                                                                              \
    } while (0)

#endif
