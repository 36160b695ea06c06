#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int passed, failed;
static char why[512];

void check_fail(const char *file, int line, const char *format, ...) {
    if (check_failed())
        return;
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    int length = snprintf(why, sizeof why, "%s:%d: ", name, line);
    va_list values;
    va_start(values, format);
    vsnprintf(why + length, sizeof why - (size_t)length, format, values);
    va_end(values);
}

bool check_failed(void) {
    return why[0] != '\0';
}

void check_run(const char *name, void (*test)(void)) {
    why[0] = '\0';
    test();
    if (check_failed()) {
        failed++;
        printf("not ok %s: %s\n", name, why);
    } else {
        passed++;
        printf("ok %s\n", name);
    }
    fflush(stdout);
}

int check_finish(void) {
    return failed > 0 || passed == 0;
}
