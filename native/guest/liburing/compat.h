/* What liburing's configure finds out by some twenty compilations, all known for a musl guest with the compiler's own kernel headers. */
#ifndef LIBURING_COMPAT_H
#define LIBURING_COMPAT_H

#include <linux/blkdev.h>
#include <linux/openat2.h>
#include <linux/time_types.h>
#include <sys/wait.h>
#define UAPI_LINUX_IO_URING_H_SKIP_LINUX_TIME_TYPES_H 1

#endif
