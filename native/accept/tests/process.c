#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { START_MS = 20000, MOST_ARGUMENTS = 32 };

/* The programs lie in the folder above that of the tests. */
static void path_of(const char *name, char *path, size_t size) {
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length < 0 ? 0 : length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (slash != NULL)
            *slash = '\0';
    }
    size_t used = strlen(path);
    snprintf(path + used, size - used, "/%s", name);
}

static void become(const char *path, const char *name, const char *const arguments[], unsigned descriptors, int output,
                   int errors) {
    char *all[MOST_ARGUMENTS + 2];
    int count = 0;
    all[count++] = (char *)(uintptr_t)name;
    for (int i = 0; arguments[i] != NULL && i < MOST_ARGUMENTS; i++)
        all[count++] = (char *)(uintptr_t)arguments[i];
    all[count] = NULL;
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    if (descriptors > 0) {
        struct rlimit limit = {.rlim_cur = descriptors, .rlim_max = descriptors};
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    execv(path, all);
    fprintf(stderr, "cannot start %s: %s\n", path, strerror(errno));
    _exit(127);
}

bool process_start(struct process *process, const char *name, const char *const arguments[], unsigned descriptors) {
    char path[4096];
    int output[2], errors[2];
    path_of(name, path, sizeof path);
    memset(process, 0, sizeof *process);
    if (pipe2(output, O_CLOEXEC) != 0 || pipe2(errors, O_CLOEXEC) != 0)
        return false;
    process->pid = fork();
    if (process->pid == 0)
        become(path, name, arguments, descriptors, output[1], errors[1]);
    close(output[1]);
    close(errors[1]);
    process->output = output[0];
    process->errors = errors[0];
    return process->pid > 0;
}

/* Appends what there is; false at the end. */
static bool read_into(int fd, char *text, size_t size) {
    size_t used = strlen(text);
    char spill[4096];
    bool full = used + 1 >= size;
    ssize_t got = full ? read(fd, spill, sizeof spill) : read(fd, text + used, size - 1 - used);
    if (got > 0 && !full)
        text[used + (size_t)got] = '\0';
    return got > 0;
}

bool process_serve(struct process *process, const char *name, const char *const extra[], unsigned descriptors) {
    const char *arguments[MOST_ARGUMENTS] = {"--port", "0"};
    for (int i = 0; extra[i] != NULL && i + 3 < MOST_ARGUMENTS; i++)
        arguments[2 + i] = extra[i];
    if (!process_start(process, name, arguments, descriptors))
        return false;
    struct pollfd entry = {.fd = process->errors, .events = POLLIN};
    while (strchr(process->errors_text, '\n') == NULL && poll(&entry, 1, START_MS) == 1 &&
           read_into(process->errors, process->errors_text, sizeof process->errors_text))
        ;
    unsigned port;
    if (sscanf(process->errors_text, "listening %u", &port) == 1) {
        process->port = (uint16_t)port;
        return true;
    }
    kill(process->pid, SIGKILL);
    process_finish(process);
    return false;
}

int process_finish(struct process *process) {
    struct pollfd entries[] = {{.fd = process->output, .events = POLLIN}, {.fd = process->errors, .events = POLLIN}};
    while (entries[0].fd >= 0 || entries[1].fd >= 0) {
        if (poll(entries, 2, -1) < 0)
            continue;
        if (entries[0].revents && !read_into(process->output, process->output_text, sizeof process->output_text))
            entries[0].fd = -1;
        if (entries[1].revents && !read_into(process->errors, process->errors_text, sizeof process->errors_text))
            entries[1].fd = -1;
    }
    close(process->output);
    close(process->errors);
    int status;
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int process_stop(struct process *process) {
    kill(process->pid, SIGTERM);
    return process_finish(process);
}

int64_t process_number(const struct process *process, const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(process->output_text, key);
    char *end;
    if (at == NULL)
        return -1;
    at += strlen(key);
    int64_t number = strtoll(at, &end, 10);
    return end == at ? -1 : number;
}
