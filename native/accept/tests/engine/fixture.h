/* An engine served by a thread of the test, and a client that can be as slow, as greedy or as silent as a test needs. */
#ifndef ACCEPT_TESTS_ENGINE_FIXTURE_H
#define ACCEPT_TESTS_ENGINE_FIXTURE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "accept_engine.h"
#include "../check.h"

/* A path through the engine: every behaviour is tested on each of them. */
struct path {
  const char *name;
  enum accept_configuration configuration;
  /* Of accept_technique, ended by -1. */
  int off[4], on[4];
  uint32_t without;
  /* What the path's sentence must say. */
  const char *says;
};

extern const struct path paths[];
extern const size_t paths_count;

struct served {
  struct accept_engine *engine;
  pthread_t thread;
  int result;
  char fault[256];
};

/* The default options put on a path; a free port. */
struct accept_options path_options(const struct path *path);

/* False, with a sentence in `served->fault`, when the engine does not open. */
bool served_start(struct served *served, const struct accept_options *options, const struct accept_handler *handler);
/* Stops, drains, and gives the counters it ended with. */
struct accept_counters served_stop(struct served *served);

/* Answers each request with itself: whatever is mixed up between connections shows. Requests end with a blank line. */
extern const struct accept_handler echo;
/* The contract's fixed request and reply, known beforehand: the only kind of handler that can be chained. */
extern const struct accept_handler fixed;

#define REQUEST "GET / HTTP/1.0\r\n\r\n"
#define REPLY "HTTP/1.0 200 OK\r\n\r\n"

/* A connected socket, -1 when it failed. A `receive_buffer` above 0 is set before connecting. */
int client_connect(const char *address, uint16_t port, int receive_buffer);
bool client_send(int fd, const char *bytes, size_t length);
/* Reads to the end of the stream, at most `milliseconds`; the number of bytes, -1 reset, -2 timed out. */
long client_read(int fd, char *bytes, size_t room, int milliseconds);
/* One request and its reply, whole: true when it is `reply` to the byte. */
bool client_ask(uint16_t port, const char *request, const char *reply, int milliseconds);

uint64_t now_ms(void);
void sleep_ms(unsigned milliseconds);

/* Runs a test once for each path, named "name, path". */
void check_each_path(const char *name, void (*test)(const struct path *path));

#endif
