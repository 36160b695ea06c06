/*
 * No descriptor left (EMFILE) or no free entry in the direct table: accepting backs off without spinning, nobody who can be served is
 * kept waiting for long, and everything is as before once there is room. Each server is a process of its own, for the limit is.
 */
#include "../process.h"
#include "fixture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT = 40, HOGS = 80, PATIENCE_MS = 8000 };

/* CPU time of a process so far. */
static long cpu_ms(pid_t pid) {
  char path[64];
  unsigned long user = 0, kernel = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *stat = fopen(path, "r");
  if (!stat)
    return -1;
  int fields = fscanf(stat, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel);
  fclose(stat);
  return fields == 2 ? (long)((user + kernel) * 1000 / (unsigned long)sysconf(_SC_CLK_TCK)) : -1;
}

/* Twice as many silent clients as the server has places, for a second: it must sleep, recover, and lose nobody who asks. */
static void exhaust(const char *const arguments[], unsigned descriptors, bool may_lose) {
  static struct process server;
  int hogs[HOGS], right = 0, after = 0;
  CHECK(process_serve(&server, "accept-engine", arguments, descriptors));
  for (int i = 0; i < HOGS; i++)
    hogs[i] = client_connect("127.0.0.1", server.port, 0);
  sleep_ms(150); /* too young to be shed yet */
  long before_ms = cpu_ms(server.pid);
  uint64_t before = now_ms();
  sleep_ms(1000);
  long spent_ms = cpu_ms(server.pid) - before_ms;
  long waited_ms = (long)(now_ms() - before);
  for (int i = 0; i < 10; i++)
    right += client_ask(server.port, REQUEST, REPLY, PATIENCE_MS);
  for (int i = 0; i < HOGS; i++)
    close(hogs[i]);
  sleep_ms(50);
  for (int i = 0; i < 50; i++)
    after += client_ask(server.port, REQUEST, REPLY, PATIENCE_MS);
  CHECK_EQUAL(process_stop(&server), 0);
  if (spent_ms * 4 > waited_ms)
    check_fail(__FILE__, __LINE__, "%ld ms of CPU time in %ld ms without room", spent_ms, waited_ms);
  CHECK(may_lose || right == 10);
  CHECK_EQUAL(after, 50);
  /* A try each 10 ms is a hundred a second; the whole run takes under ten. */
  CHECK(process_number(&server, "enters") < 6000);
  CHECK(process_number(&server, "system_calls") < 12000);
  CHECK(process_number(&server, "pauses") > 0);
  CHECK(process_number(&server, "refused") > 0);
}

#define SILENT_REACH_ACCEPT "--set", "defer-accept=off", "--timeout-ms", "60000"

static void engine_without_descriptors(void) {
  static const char *const arguments[] = {SILENT_REACH_ACCEPT, NULL};
  exhaust(arguments, LIMIT, false);
}

static void calls_without_descriptors(void) {
  static const char *const arguments[] = {SILENT_REACH_ACCEPT, "--without", "ring", NULL};
  exhaust(arguments, LIMIT, false);
}

static void requests_without_descriptors(void) {
  static const char *const arguments[] = {SILENT_REACH_ACCEPT, "--configuration", "six-techniques", "--set", "direct-descriptors=off", NULL};
  exhaust(arguments, LIMIT, false);
}

static void single_shot_without_descriptors(void) {
  static const char *const arguments[] = {SILENT_REACH_ACCEPT,       "--configuration", "six-techniques",      "--set",
                                          "direct-descriptors=off", "--set",           "multishot-accept=off", NULL};
  exhaust(arguments, LIMIT, false);
}

static void full_direct_table(void) {
  static const char *const arguments[] = {SILENT_REACH_ACCEPT, "--configuration", "six-techniques", "--table", "32", NULL};
  exhaust(arguments, 0, false);
}

static void full_direct_table_single_shot(void) {
  static const char *const arguments[] = {SILENT_REACH_ACCEPT, "--configuration",      "six-techniques", "--table", "32",
                                          "--set",             "multishot-accept=off", NULL};
  exhaust(arguments, 0, false);
}

/* The kernel refuses a table beyond the limit of open files: one sentence, not a crash. */
static void a_table_beyond_the_limit_is_explained(void) {
  static struct process server;
  static const char *const arguments[] = {"--port", "0", "--configuration", "six-techniques", "--table", "4096", NULL};
  CHECK(process_start(&server, "accept-engine", arguments, LIMIT));
  CHECK_EQUAL(process_finish(&server), 1);
  CHECK(strstr(server.errors_text, "direct descriptors"));
}

int main(void) {
  check_run("engine without descriptors", engine_without_descriptors);
  check_run("calls without descriptors", calls_without_descriptors);
  check_run("requests without descriptors", requests_without_descriptors);
  check_run("single-shot without descriptors", single_shot_without_descriptors);
  check_run("full direct table", full_direct_table);
  check_run("full direct table, single-shot", full_direct_table_single_shot);
  check_run("a table beyond the limit is explained", a_table_beyond_the_limit_is_explained);
  return check_finish();
}
