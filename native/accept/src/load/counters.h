/* What the kernel counts about the server and the network, read from /proc just outside the window. */
#ifndef ACCEPT_LOAD_COUNTERS_H
#define ACCEPT_LOAD_COUNTERS_H

#include <stdint.h>
#include <sys/types.h>

/* Time on a processor of all tasks of a process by schedstat, in nanoseconds; -1 when it cannot be read. */
int64_t counters_process_cpu_ns(pid_t process);

/* TcpOutSegs of this network namespace; -1 when it cannot be read. */
int64_t counters_segments_out(void);

/* Time on a processor of this process, in nanoseconds. */
int64_t counters_own_cpu_ns(void);

#endif
