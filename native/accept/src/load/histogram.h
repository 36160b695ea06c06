/* A log-linear histogram with the buckets of HdrHistogram (3 significant digits) and its V2 compressed encoding. */
#ifndef ACCEPT_HISTOGRAM_H
#define ACCEPT_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum {
    HISTOGRAM_DIGITS = 3,
    /* Values that share a scale: the smallest power of two above 2 * 10^digits. */
    HISTOGRAM_SUB_BUCKETS = 2048,
    HISTOGRAM_SUB_BUCKET_BITS = 11,
    /* Doublings above the first 2048 values: 2048 << 26 is the first power that exceeds 10^11. */
    HISTOGRAM_BUCKETS = 27,
    HISTOGRAM_COUNTS = (HISTOGRAM_BUCKETS + 1) * (HISTOGRAM_SUB_BUCKETS / 2),
};

/* Largest value kept apart, 100 s in nanoseconds; greater ones are recorded as this. */
#define HISTOGRAM_HIGHEST UINT64_C(100000000000)

struct histogram {
    uint64_t total;
    uint64_t lowest;
    uint64_t highest;
    uint64_t counts[HISTOGRAM_COUNTS];
};

/* Empties it. Needed before the first value. */
void histogram_reset(struct histogram *histogram);

/* Counts one value. Costs a few instructions and no memory. */
void histogram_record(struct histogram *histogram, uint64_t value);

/* The value below or at which the fraction (0 to 1) of all values lies, at the upper edge of its bucket but never above
 * the largest; 0 when empty. */
uint64_t histogram_quantile(const struct histogram *histogram, double fraction);

/*
 * The V2 compressed form in base64, NUL-terminated and owned by the caller; NULL without memory. The zlib stream in it
 * holds stored blocks: every reader of the format inflates them, and the loader needs no zlib in the guest.
 */
char *histogram_encode(const struct histogram *histogram);

#endif
