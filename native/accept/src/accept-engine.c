/*
 * The engine as a server under the contract of the comparison: an 18-byte request, a 19-byte reply, close.
 * Linux 5.10 or later; try it: accept-engine --port 8080 --configuration six-techniques, then
 * printf 'GET / HTTP/1.0\r\n\r\n' | nc 127.0.0.1 8080.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "accept_engine.h"
#include "contract.h"

static struct accept_engine *engine;

static void on_signal(int number)
{
    (void)number;
    accept_engine_stop(engine);
}

static void answer(void *context, const char *bytes, size_t length, struct accept_reply *reply)
{
    (void)context, (void)bytes, (void)length;
    memcpy(reply->bytes, CONTRACT_REPLY, CONTRACT_REPLY_BYTES);
    reply->length = CONTRACT_REPLY_BYTES;
}

static void usage(void)
{
    fprintf(stderr,
            "accept-engine --port P [--address A] [--cores N] [--configuration engine|six-techniques] [--set TECHNIQUE=on|off]\n"
            "  [--without FEATURE] [--table N] [--freelist N] [--ring N] [--connections N] [--backlog N] [--timeout-ms N]\n"
            "  [--drain-ms N] [--request-bytes N] [--path]\ntechniques:");
    for (int i = 0; i < ACCEPT_TECHNIQUES; i++)
        fprintf(stderr, " %s", accept_technique_name((enum accept_technique)i));
    fprintf(stderr, "\nfeatures:");
    for (int i = 0; i < ACCEPT_FEATURES; i++)
        fprintf(stderr, " %s", accept_feature_name((enum accept_feature)i));
    fprintf(stderr, "\n");
}

static int wrong(const char *option, const char *value)
{
    fprintf(stderr, "accept-engine: --%s does not take '%s'; --help lists what it takes\n", option, value);
    return -1;
}

static int parse_number(const char *option, const char *text, unsigned long limit, unsigned long *value)
{
    char *end;
    errno = 0;
    *value = strtoul(text, &end, 10);
    return errno || end == text || *end || text[0] == '-' || *value > limit ? wrong(option, text) : 0;
}

static int parse_technique(const char *text, struct accept_options *options)
{
    char name[64];
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0;
    if (!equals || length >= sizeof name || (strcmp(equals, "=on") && strcmp(equals, "=off")))
        return wrong("set", text);
    memcpy(name, text, length);
    name[length] = '\0';
    int technique = accept_technique_parse(name);
    if (technique < 0)
        return wrong("set", text);
    options->technique[technique] = strcmp(equals, "=on") ? ACCEPT_OFF : ACCEPT_ON;
    return 0;
}

static const struct option long_options[] = {
    {"port", required_argument, NULL, 'p'},      {"address", required_argument, NULL, 'a'},
    {"cores", required_argument, NULL, 'c'},     {"configuration", required_argument, NULL, 'C'},
    {"set", required_argument, NULL, 's'},       {"without", required_argument, NULL, 'w'},
    {"table", required_argument, NULL, 't'},     {"freelist", required_argument, NULL, 'f'},
    {"ring", required_argument, NULL, 'R'},
    {"connections", required_argument, NULL, 'n'}, {"backlog", required_argument, NULL, 'b'},
    {"timeout-ms", required_argument, NULL, 'm'}, {"request-bytes", required_argument, NULL, 'r'},
    {"drain-ms", required_argument, NULL, 'd'},
    {"path", no_argument, NULL, 'P'},            {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* 0 to go on, 1 to print the path only, -1 after a complaint. */
static int parse(int argc, char **argv, struct accept_options *options)
{
    int letter, index = 0, named, path_only = 0;
    unsigned long number = 0;
    while ((letter = getopt_long(argc, argv, "", long_options, &index)) != -1) {
        const char *option = letter == '?' ? NULL : long_options[index].name;
        if (option && strchr("pctfRnbmdr", letter) && parse_number(option, optarg, letter == 'p' ? 65535 : 1u << 30, &number) < 0)
            return -1;
        switch (letter) {
        case 'p': options->port = (uint16_t)number; break;
        case 'a': options->address = optarg; break;
        case 'c': options->cores = (unsigned)number; break;
        case 't': options->table_entries = (unsigned)number; break;
        case 'f': options->freelist_entries = (unsigned)number; break;
        case 'R': options->ring_entries = (unsigned)number; break;
        case 'n': options->connections_limit = (unsigned)number; break;
        case 'b': options->backlog = (unsigned)number; break;
        case 'm': options->timeout_ms = (uint32_t)number; break;
        case 'd': options->drain_ms = (uint32_t)number; break;
        case 'r': options->request_bytes_limit = number; break;
        case 'P': path_only = 1; break;
        case 'C':
            if ((named = accept_configuration_parse(optarg)) < 0)
                return wrong(option, optarg);
            options->configuration = (enum accept_configuration)named;
            break;
        case 's':
            if (parse_technique(optarg, options) < 0)
                return -1;
            break;
        case 'w':
            if ((named = accept_feature_parse(optarg)) < 0)
                return wrong(option, optarg);
            options->without |= 1u << named;
            break;
        default:
            usage();
            return -1;
        }
    }
    if (optind < argc)
        return fprintf(stderr, "accept-engine: '%s' is not an option; --help lists them\n", argv[optind]), -1;
    return path_only;
}

static void raise_file_limit(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

static void report(void)
{
    struct accept_counters n = accept_engine_counters(engine);
    printf("{\"path\":\"%s\",\"accepted\":%llu,\"replied\":%llu,\"timed_out\":%llu,\"refused\":%llu,\"failed\":%llu,"
           "\"enters\":%llu,\"completions\":%llu,\"system_calls\":%llu,\"pauses\":%llu}\n",
           accept_engine_path(engine), (unsigned long long)n.accepted, (unsigned long long)n.replied,
           (unsigned long long)n.timed_out, (unsigned long long)n.refused, (unsigned long long)n.failed,
           (unsigned long long)n.enters, (unsigned long long)n.completions, (unsigned long long)n.system_calls,
           (unsigned long long)n.pauses);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct accept_options options = accept_options_default();
    options.request_bytes_limit = CONTRACT_REQUEST_LIMIT; /* as the servers it is compared with */
    struct accept_handler handler = {.answer = answer, .fixed_request_bytes = CONTRACT_REQUEST_BYTES, .reply_ahead = true};
    char fault[256];
    int path_only = parse(argc, argv, &options);
    if (path_only < 0)
        return 2;
    raise_file_limit();
    engine = accept_engine_open(&options, &handler, fault, sizeof fault);
    if (!engine) {
        fprintf(stderr, "accept-engine: %s\n", fault);
        return 1;
    }
    if (path_only) {
        printf("%s\n", accept_engine_path(engine));
        accept_engine_close(engine);
        return 0;
    }
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    fprintf(stderr, "listening %u\n", accept_engine_port(engine));
    int result = accept_engine_run(engine);
    if (result < 0)
        fprintf(stderr, "accept-engine: %s\n", accept_engine_fault(engine));
    report();
    accept_engine_close(engine);
    return result < 0 ? 1 : 0;
}
