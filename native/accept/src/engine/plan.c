/*
 * From options and a probed kernel to what is done, with the sentence that says which path it is and why.
 * Try it: accept-engine --configuration six-techniques --without direct.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

static const char *const technique_names[ACCEPT_TECHNIQUES] = {
    [ACCEPT_DEFER_TASKRUN] = "defer-taskrun",     [ACCEPT_DIRECT_DESCRIPTORS] = "direct-descriptors",
    [ACCEPT_MULTISHOT] = "multishot-accept",      [ACCEPT_FREELIST] = "freelist",
    [ACCEPT_FUSE_FIN] = "fuse-fin",               [ACCEPT_SKIP_SUCCESS] = "skip-success",
    [ACCEPT_LINK_CHAIN] = "link-chain",           [ACCEPT_DEFER_ACCEPT] = "defer-accept",
    [ACCEPT_RENEW_PENDING] = "renew-pending",
    [ACCEPT_RING_TRANSFER] = "ring-transfer",     [ACCEPT_BATCH_SCHEDULING] = "batch-scheduling",
};
static const char *const feature_names[ACCEPT_FEATURES] = {
    [ACCEPT_HAS_RING] = "ring",
    [ACCEPT_HAS_SINGLE_ISSUER] = "single-issuer",
    [ACCEPT_HAS_DEFER_TASKRUN] = "defer-taskrun",
    [ACCEPT_HAS_COOP_TASKRUN] = "coop-taskrun",
    [ACCEPT_HAS_MULTISHOT] = "multishot",
    [ACCEPT_HAS_DIRECT] = "direct",
    [ACCEPT_HAS_SKIP_SUCCESS] = "skip-success",
};
static const char *const configuration_names[ACCEPT_CONFIGURATIONS] = {
    [ACCEPT_ENGINE] = "engine",
    [ACCEPT_SIX_TECHNIQUES] = "six-techniques",
};

/* What each configuration asks for where the user leaves it the choice. */
static const bool configured[ACCEPT_CONFIGURATIONS][ACCEPT_TECHNIQUES] = {
    [ACCEPT_ENGINE] = {[ACCEPT_DEFER_TASKRUN] = true, [ACCEPT_MULTISHOT] = true, [ACCEPT_FREELIST] = true,
                       [ACCEPT_FUSE_FIN] = true, [ACCEPT_DEFER_ACCEPT] = true, [ACCEPT_BATCH_SCHEDULING] = true},
    [ACCEPT_SIX_TECHNIQUES] = {[ACCEPT_DEFER_TASKRUN] = true, [ACCEPT_DIRECT_DESCRIPTORS] = true,
                               [ACCEPT_MULTISHOT] = true, [ACCEPT_FREELIST] = true, [ACCEPT_FUSE_FIN] = true,
                               [ACCEPT_SKIP_SUCCESS] = true, [ACCEPT_RING_TRANSFER] = true,
                               [ACCEPT_RENEW_PENDING] = true},
};

/* The feature a technique cannot do without. */
static int needed_feature(enum accept_technique technique)
{
    switch (technique) {
    case ACCEPT_DEFER_TASKRUN: return ACCEPT_HAS_DEFER_TASKRUN;
    case ACCEPT_DIRECT_DESCRIPTORS: return ACCEPT_HAS_DIRECT;
    case ACCEPT_MULTISHOT: return ACCEPT_HAS_MULTISHOT;
    case ACCEPT_SKIP_SUCCESS: return ACCEPT_HAS_SKIP_SUCCESS;
    case ACCEPT_LINK_CHAIN:
    case ACCEPT_RING_TRANSFER: return ACCEPT_HAS_RING;
    default: return -1;
    }
}

static int find(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return i;
    return -1;
}

const char *accept_technique_name(enum accept_technique technique) { return technique_names[technique]; }
const char *accept_feature_name(enum accept_feature feature) { return feature_names[feature]; }
const char *accept_configuration_name(enum accept_configuration configuration) { return configuration_names[configuration]; }
int accept_technique_parse(const char *name) { return find(technique_names, ACCEPT_TECHNIQUES, name); }
int accept_feature_parse(const char *name) { return find(feature_names, ACCEPT_FEATURES, name); }
int accept_configuration_parse(const char *name) { return find(configuration_names, ACCEPT_CONFIGURATIONS, name); }

__attribute__((format(printf, 2, 3))) static void say(struct plan *plan, const char *format, ...)
{
    size_t used = strlen(plan->path);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(plan->path + used, sizeof plan->path - used, format, arguments);
    va_end(arguments);
}

static void say_missing(struct plan *plan, const struct probe *probe, enum accept_feature feature)
{
    if (probe->pretended[feature])
        say(plan, "%s is pretended missing; ", feature_names[feature]);
    else
        say(plan, "%s was tried and refused (%s); ", feature_names[feature], strerror(probe->error[feature]));
}

/* One list of names after `label`. */
static void say_techniques(struct plan *plan, const char *label, bool state, int from, int to)
{
    bool any = false;
    for (int i = from; i < to; i++) {
        if (plan->on[i] != state)
            continue;
        say(plan, "%s%s", any ? ", " : label, technique_names[i]);
        any = true;
    }
    if (any)
        say(plan, "; ");
}

static void describe_sizes(struct plan *plan, const struct accept_options *options)
{
    if (plan->ring_accept)
        say(plan, "ring of %u requests; ", options->ring_entries);
    if (plan->on[ACCEPT_DIRECT_DESCRIPTORS])
        say(plan, "table of %u descriptors; ", options->table_entries);
    if (plan->on[ACCEPT_FREELIST])
        say(plan, "freelist of %u connections; ", options->freelist_entries);
}

static void describe(struct plan *plan, const struct accept_options *options, const struct probe *probe, const bool *wanted)
{
    if (plan->ring_accept)
        say(plan, "%s accept by io_uring into %s descriptors, ", plan->on[ACCEPT_MULTISHOT] ? "multishot" : "single-shot",
            plan->on[ACCEPT_DIRECT_DESCRIPTORS] ? "direct" : "regular");
    else
        say(plan, "bursts of accept4 under epoll, ");
    say(plan, "%s by %s; ", plan->on[ACCEPT_LINK_CHAIN] ? "recv-send-close linked" : "recv, send, close",
        plan->on[ACCEPT_RING_TRANSFER] ? "io_uring" : "system calls");
    describe_sizes(plan, options);
    say_techniques(plan, "on: ", true, 0, ACCEPT_TECHNIQUES);
    say_techniques(plan, "off: ", false, 0, ACCEPT_TECHNIQUES);
    say(plan, "because configuration %s", configuration_names[options->configuration]);
    say(plan, options->configuration == ACCEPT_ENGINE
                  ? " takes what is cheapest here (a pending request on a direct descriptor holds back later closes on some "
                    "kernels; plain calls cost no more than requests); "
                  : " is the published set; ");
    for (int i = 0; i < ACCEPT_TECHNIQUES; i++)
        if (options->technique[i] != ACCEPT_AS_CONFIGURED)
            say(plan, "%s was set %s; ", technique_names[i], options->technique[i] == ACCEPT_ON ? "on" : "off");
    for (int i = 0; i < ACCEPT_TECHNIQUES; i++) {
        int feature = needed_feature((enum accept_technique)i);
        if (feature >= 0 && wanted[i] && !probe->has[feature])
            say_missing(plan, probe, (enum accept_feature)feature);
    }
    plan->path[strlen(plan->path) - 2] = '\0';
}

/* Fills `plan`; -1 with one sentence in `fault` when the handler cannot be served as asked. */
int plan_make(struct plan *plan, const struct accept_options *options, const struct accept_handler *handler,
              const struct probe *probe, char *fault, size_t fault_bytes)
{
    bool wanted[ACCEPT_TECHNIQUES];
    memset(plan, 0, sizeof *plan);
    for (int i = 0; i < ACCEPT_TECHNIQUES; i++) {
        enum accept_choice choice = options->technique[i];
        wanted[i] = choice == ACCEPT_AS_CONFIGURED ? configured[options->configuration][i] : choice == ACCEPT_ON;
    }
    /* These have no meaning for system calls: asking for one asks for requests, unless that was ruled out. */
    if (options->technique[ACCEPT_RING_TRANSFER] != ACCEPT_OFF)
        wanted[ACCEPT_RING_TRANSFER] |=
            wanted[ACCEPT_DIRECT_DESCRIPTORS] || wanted[ACCEPT_SKIP_SUCCESS] || wanted[ACCEPT_LINK_CHAIN];
    if (wanted[ACCEPT_LINK_CHAIN] && !(handler->fixed_request_bytes && handler->reply_ahead)) {
        snprintf(fault, fault_bytes,
                 "link-chain queues the reply before the request has come: set it off, or give a handler with a fixed request "
                 "length whose reply is known beforehand");
        return -1;
    }
    for (int i = 0; i < ACCEPT_TECHNIQUES; i++) {
        int feature = needed_feature((enum accept_technique)i);
        plan->on[i] = wanted[i] && (feature < 0 || probe->has[feature]);
    }
    if (!plan->on[ACCEPT_RING_TRANSFER])
        plan->on[ACCEPT_DIRECT_DESCRIPTORS] = plan->on[ACCEPT_SKIP_SUCCESS] = plan->on[ACCEPT_LINK_CHAIN] = false;
    plan->on[ACCEPT_RENEW_PENDING] &= plan->on[ACCEPT_DIRECT_DESCRIPTORS];
    /* With the rest by system calls a ring only pays when one request yields many connections. */
    plan->ring_accept = probe->has[ACCEPT_HAS_RING] && (plan->on[ACCEPT_RING_TRANSFER] || plan->on[ACCEPT_MULTISHOT]);
    if (!plan->ring_accept)
        plan->on[ACCEPT_DEFER_TASKRUN] = plan->on[ACCEPT_MULTISHOT] = false;
    plan->coop_taskrun = wanted[ACCEPT_DEFER_TASKRUN] && !plan->on[ACCEPT_DEFER_TASKRUN] && probe->has[ACCEPT_HAS_COOP_TASKRUN];
    describe(plan, options, probe, wanted);
    return 0;
}
