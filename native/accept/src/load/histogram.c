#include "histogram.h"

#include <stdlib.h>
#include <string.h>

enum {
    HALF = HISTOGRAM_SUB_BUCKETS / 2,
    ENCODING_COOKIE = 0x1c849303 | 0x10,
    COMPRESSED_COOKIE = 0x1c849304 | 0x10,
    HEADER_BYTES = 40,
    /* A 64-bit count takes nine bytes at most in this variant of LEB128. */
    WORD_BYTES = 9,
    STORED_BLOCK_BYTES = 65535,
};

void histogram_reset(struct histogram *histogram) {
    memset(histogram, 0, sizeof *histogram);
    histogram->lowest = UINT64_MAX;
}

static size_t index_of(uint64_t value) {
    int bits = 64 - __builtin_clzll(value | (HISTOGRAM_SUB_BUCKETS - 1));
    int bucket = bits - HISTOGRAM_SUB_BUCKET_BITS;
    return (size_t)bucket * HALF + (size_t)(value >> bucket);
}

/* The largest value that lands in the same place. */
static uint64_t upper_edge(size_t index) {
    size_t bucket = index < HISTOGRAM_SUB_BUCKETS ? 0 : index / HALF - 1;
    uint64_t sub = index - bucket * HALF;
    return ((sub + 1) << bucket) - 1;
}

void histogram_record(struct histogram *histogram, uint64_t value) {
    if (value > HISTOGRAM_HIGHEST)
        value = HISTOGRAM_HIGHEST;
    histogram->counts[index_of(value)]++;
    histogram->total++;
    if (value < histogram->lowest)
        histogram->lowest = value;
    if (value > histogram->highest)
        histogram->highest = value;
}

uint64_t histogram_quantile(const struct histogram *histogram, double fraction) {
    if (histogram->total == 0)
        return 0;
    double exact = fraction * (double)histogram->total;
    uint64_t rank = (uint64_t)exact;
    if ((double)rank < exact || rank == 0)
        rank++;
    uint64_t seen = 0;
    for (size_t i = 0; i < HISTOGRAM_COUNTS; i++) {
        seen += histogram->counts[i];
        if (seen >= rank) {
            uint64_t edge = upper_edge(i);
            return edge < histogram->highest ? edge : histogram->highest;
        }
    }
    return histogram->highest;
}

static unsigned char *put_big_endian(unsigned char *at, uint64_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; i--)
        *at++ = (unsigned char)(value >> (8 * i));
    return at;
}

/* ZigZag LEB128, 64b9B: the ninth byte carries eight bits. */
static unsigned char *put_word(unsigned char *at, int64_t word) {
    uint64_t value = ((uint64_t)word << 1) ^ (word < 0 ? UINT64_MAX : 0);
    for (int i = 0; i < WORD_BYTES - 1; i++) {
        if (value < 0x80) {
            *at++ = (unsigned char)value;
            return at;
        }
        *at++ = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    *at++ = (unsigned char)value;
    return at;
}

/* Header and counts; a run of empty places is one negative word. */
static size_t encode_plain(const struct histogram *histogram, unsigned char *out) {
    unsigned char *payload = out + HEADER_BYTES;
    unsigned char *at = payload;
    size_t end = histogram->total ? index_of(histogram->highest) + 1 : 0;
    for (size_t i = 0; i < end;) {
        size_t zeros = 0;
        while (i + zeros < end && histogram->counts[i + zeros] == 0)
            zeros++;
        if (zeros > 0) {
            at = put_word(at, zeros == 1 ? 0 : -(int64_t)zeros);
            i += zeros;
        } else {
            at = put_word(at, (int64_t)histogram->counts[i++]);
        }
    }
    double ratio = 1.0;
    uint64_t ratio_bits;
    memcpy(&ratio_bits, &ratio, sizeof ratio_bits);
    unsigned char *header = put_big_endian(out, ENCODING_COOKIE, 4);
    header = put_big_endian(header, (uint64_t)(at - payload), 4);
    header = put_big_endian(header, 0, 4); /* normalizing index offset */
    header = put_big_endian(header, HISTOGRAM_DIGITS, 4);
    header = put_big_endian(header, 1, 8);
    header = put_big_endian(header, HISTOGRAM_HIGHEST, 8);
    put_big_endian(header, ratio_bits, 8);
    return (size_t)(at - out);
}

static uint32_t adler32(const unsigned char *bytes, size_t length) {
    uint32_t low = 1, high = 0;
    for (size_t i = 0; i < length; i++) {
        low = (low + bytes[i]) % 65521;
        high = (high + low) % 65521;
    }
    return high << 16 | low;
}

/* A zlib stream of stored blocks. */
static size_t store_zlib(const unsigned char *bytes, size_t length, unsigned char *out) {
    unsigned char *at = out;
    *at++ = 0x78;
    *at++ = 0x01;
    size_t done = 0;
    do {
        size_t block = length - done < STORED_BLOCK_BYTES ? length - done : STORED_BLOCK_BYTES;
        *at++ = done + block == length;
        *at++ = (unsigned char)block;
        *at++ = (unsigned char)(block >> 8);
        *at++ = (unsigned char)~block;
        *at++ = (unsigned char)(~block >> 8);
        memcpy(at, bytes + done, block);
        at += block;
        done += block;
    } while (done < length);
    return (size_t)(put_big_endian(at, adler32(bytes, length), 4) - out);
}

static void put_base64(const unsigned char *bytes, size_t length, char *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        uint32_t group = (uint32_t)bytes[i] << 16;
        if (i + 1 < length)
            group |= (uint32_t)bytes[i + 1] << 8;
        if (i + 2 < length)
            group |= bytes[i + 2];
        *out++ = digits[group >> 18];
        *out++ = digits[group >> 12 & 63];
        *out++ = i + 1 < length ? digits[group >> 6 & 63] : '=';
        *out++ = i + 2 < length ? digits[group & 63] : '=';
    }
    *out = '\0';
}

char *histogram_encode(const struct histogram *histogram) {
    size_t plain_limit = HEADER_BYTES + (size_t)HISTOGRAM_COUNTS * WORD_BYTES;
    size_t packed_limit = 8 + plain_limit + 5 * (plain_limit / STORED_BLOCK_BYTES + 1) + 6;
    unsigned char *plain = malloc(plain_limit);
    unsigned char *packed = malloc(packed_limit);
    char *text = NULL;
    if (plain != NULL && packed != NULL) {
        size_t plain_bytes = encode_plain(histogram, plain);
        size_t stream_bytes = store_zlib(plain, plain_bytes, packed + 8);
        put_big_endian(put_big_endian(packed, COMPRESSED_COOKIE, 4), stream_bytes, 4);
        text = malloc((8 + stream_bytes + 2) / 3 * 4 + 1);
        if (text != NULL)
            put_base64(packed, 8 + stream_bytes, text);
    }
    free(plain);
    free(packed);
    return text;
}
