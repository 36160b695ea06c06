/* The histogram against sorted values, and its encoding against an independent reader of the format. */
#include <stdlib.h>
#include <string.h>

#include "../src/load/histogram.h"
#include "check.h"

enum { VALUES = 5000 };

static struct histogram histogram;

static int ascending(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Values over eight decades, the same every time. */
static void fill(uint64_t *values) {
    uint64_t state = 42;
    histogram_reset(&histogram);
    for (int i = 0; i < VALUES; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        values[i] = (state >> 33) >> (i % 28);
        histogram_record(&histogram, values[i]);
    }
    qsort(values, VALUES, sizeof *values, ascending);
}

static void test_quantiles(void) {
    static uint64_t values[VALUES];
    const double fractions[] = {0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0};
    fill(values);
    CHECK_EQUAL(histogram.total, VALUES);
    CHECK_EQUAL(histogram.lowest, values[0]);
    CHECK_EQUAL(histogram.highest, values[VALUES - 1]);
    for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++) {
        uint64_t exact = values[(size_t)(fractions[i] * VALUES + 0.5) - 1];
        uint64_t got = histogram_quantile(&histogram, fractions[i]);
        CHECK(got >= exact);
        CHECK(got <= exact + exact / 1000);
    }
}

static void test_extremes(void) {
    histogram_reset(&histogram);
    CHECK_EQUAL(histogram_quantile(&histogram, 0.5), 0);
    histogram_record(&histogram, 0);
    histogram_record(&histogram, UINT64_MAX);
    CHECK_EQUAL(histogram.lowest, 0);
    CHECK_EQUAL(histogram.highest, HISTOGRAM_HIGHEST);
    CHECK_EQUAL(histogram_quantile(&histogram, 1.0), HISTOGRAM_HIGHEST);
}

/* base64 to bytes; returns how many. */
static size_t from_base64(const char *text, unsigned char *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = 0;
    uint32_t bits = 0;
    int have = 0;
    for (; *text != '\0' && *text != '='; text++) {
        bits = bits << 6 | (uint32_t)(strchr(digits, *text) - digits);
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[length++] = (unsigned char)(bits >> have);
        }
    }
    return length;
}

static uint32_t word_at(const unsigned char *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Joins the stored blocks of a zlib stream. */
static size_t join_blocks(const unsigned char *stream, unsigned char *out) {
    size_t length = 0;
    bool last = false;
    stream += 2;
    while (!last) {
        last = stream[0] == 1;
        size_t block = stream[1] | (size_t)stream[2] << 8;
        memcpy(out + length, stream + 5, block);
        length += block;
        stream += 5 + block;
    }
    return length;
}

/* Reads the counts back from words of seven bits. */
static size_t read_counts(const unsigned char *at, const unsigned char *end, uint64_t *counts) {
    size_t index = 0;
    while (at < end) {
        uint64_t value = 0;
        int shift = 0;
        do
            value |= (uint64_t)(*at & 0x7f) << shift, shift += 7;
        while (*at++ & 0x80);
        if (value & 1)
            index += (size_t)((value + 1) / 2);
        else
            counts[index++] = value / 2;
    }
    return index;
}

static void test_encoding(void) {
    static uint64_t values[VALUES], counts[HISTOGRAM_COUNTS];
    static unsigned char packed[1 << 20], plain[1 << 20];
    fill(values);
    char *text = histogram_encode(&histogram);
    CHECK(text != NULL);
    size_t packed_bytes = from_base64(text, packed);
    free(text);
    CHECK_EQUAL(word_at(packed), 0x1c849314);
    CHECK_EQUAL(word_at(packed + 4), packed_bytes - 8);
    size_t plain_bytes = join_blocks(packed + 8, plain);
    CHECK_EQUAL(word_at(plain), 0x1c849313);
    CHECK_EQUAL(word_at(plain + 4), plain_bytes - 40);
    CHECK_EQUAL(word_at(plain + 12), 3);
    memset(counts, 0, sizeof counts);
    CHECK(read_counts(plain + 40, plain + plain_bytes, counts) <= HISTOGRAM_COUNTS);
    CHECK(memcmp(counts, histogram.counts, sizeof counts) == 0);
}

/* hdr-histogram-js 3 decodes this text to three values, 7, 7 and 123456: minimum 7, maximum within 0.1 % of 123456. */
static void test_known_text(void) {
    histogram_reset(&histogram);
    histogram_record(&histogram, 7);
    histogram_record(&histogram, 7);
    histogram_record(&histogram, 123456);
    char *text = histogram_encode(&histogram);
    bool same =
        text != NULL &&
        strcmp(text, "HISTFAAAADh4AQEtANL/HISTEwAAAAUAAAAAAAAAAwAAAAAAAAABAAAAF0h26AA/8AAAAAAAAA0EgX4CZWkFTg==") == 0;
    free(text);
    CHECK(same);
}

int main(void) {
    check_run("histogram: quantiles within a thousandth", test_quantiles);
    check_run("histogram: empty, zero and too large", test_extremes);
    check_run("histogram: the encoding reads back to the same counts", test_encoding);
    check_run("histogram: a text that another library has read", test_known_text);
    return check_finish();
}
