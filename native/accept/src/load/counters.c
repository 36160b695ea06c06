#include "counters.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t counters_process_cpu_ns(pid_t process) {
    char path[320];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *tasks = opendir(path);
    if (tasks == NULL)
        return -1;
    int64_t sum = 0;
    bool any = false;
    struct dirent *task;
    while ((task = readdir(tasks)) != NULL) {
        if (task->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", (int)process, task->d_name);
        FILE *file = fopen(path, "re");
        int64_t on_cpu_ns;
        if (file == NULL)
            continue;
        if (fscanf(file, "%" SCNd64, &on_cpu_ns) == 1) {
            sum += on_cpu_ns;
            any = true;
        }
        fclose(file);
    }
    closedir(tasks);
    return any ? sum : -1;
}

/* The value under the column named, in the pair of lines that begins with Tcp:. */
static int64_t tcp_column(FILE *file, const char *name) {
    char names[1024], values[1024];
    while (fgets(names, sizeof names, file) != NULL) {
        if (strncmp(names, "Tcp:", 4) != 0)
            continue;
        if (fgets(values, sizeof values, file) == NULL)
            return -1;
        char *rest_of_names, *rest_of_values;
        char *column = strtok_r(names, " \n", &rest_of_names);
        char *value = strtok_r(values, " \n", &rest_of_values);
        while (column != NULL && value != NULL) {
            if (strcmp(column, name) == 0)
                return strtoll(value, NULL, 10);
            column = strtok_r(NULL, " \n", &rest_of_names);
            value = strtok_r(NULL, " \n", &rest_of_values);
        }
        return -1;
    }
    return -1;
}

int64_t counters_segments_out(void) {
    FILE *file = fopen("/proc/net/snmp", "re");
    if (file == NULL)
        return -1;
    int64_t segments = tcp_column(file, "OutSegs");
    fclose(file);
    return segments;
}

int64_t counters_own_cpu_ns(void) {
    struct timespec spent;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return (int64_t)spent.tv_sec * 1000000000 + spent.tv_nsec;
}
