/*
 * Counts the instructions of a guest with one CPU, by task and by translation block, between two marker functions.
 *
 * Every translation block has one counter that the translated code itself increments. Nothing looks at the counters while a task
 * runs; they are read and cleared only when the task may change, so a window costs a few hundred sweeps and no call per block.
 *
 * Whose instructions they are: the switch function saves the old task's registers and then loads the new one's stack pointer, so
 * the address of the first load in it lies in the new task's structure and names the task. Which program that task runs it shows by the
 * first user address it comes to, the server and the loader being told apart by the text ranges of their images. Until then
 * its counts are held back; a task that never shows itself is neither. The structure matters: a server may wait inside
 * io_uring_enter, run its completions and wait again for many switches without once returning to user mode.
 *
 * Arguments, addresses in hexadecimal: server=LOW-HIGH, loader=LOW-HIGH, open=A, close=A, switch=A, out=FILE.
 * The file has one line per window, "window SERIAL SWITCHES", then for each block "ADDRESS INSTRUCTIONS SERVER LOADER OTHER", the
 * last three being how often it was executed, and "end".
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu.h"

enum { blocks_max = 1 << 18, table_size = 1 << 19, tasks_max = 1 << 10 };

enum task { task_server, task_loader, task_other, task_kinds };

struct block {
    uint64_t address;
    uint32_t instructions;
    uint64_t executions[task_kinds];
};

struct range {
    uint64_t low, high;
};

/* Bytes from the switch function's start that surely hold its first load. */
enum { switch_size = 64 };

/* User addresses are in the lower half on both architectures. */
static const uint64_t user_end = UINT64_C(1) << 63;

static struct {
    struct range server, loader;
    uint64_t open, close, task_switch;
    const char *out;

    struct block blocks[blocks_max];
    uint32_t table[table_size]; /* number of a block, plus one; open addressing */
    uint32_t block_count;
#if NULLIUS_PLUGIN_API == 1
    uint64_t counters[blocks_max];
#else
    struct qemu_plugin_scoreboard *score;
#endif

    struct {
        uint64_t structure;
        enum task kind;
    } known[tasks_max]; /* tasks that have shown which program they run */
    uint32_t known_count;

    bool counting;
    bool switching; /* in the switch function, before its first load */
    bool undecided; /* switched to a task that has not shown itself yet */
    uint64_t structure; /* of the running task */
    enum task running;
    unsigned windows;
    uint64_t switches;
} counter;

QEMU_EXPORT int qemu_plugin_version = NULLIUS_PLUGIN_API;

static void fail(const char *message)
{
    fprintf(stderr, "counter plugin: %s\n", message);
    exit(3);
}

/* The same block may be translated many times; its counts go together. */
static uint32_t number_of_block(uint64_t address, uint32_t instructions)
{
    uint64_t hash = (address * UINT64_C(0x9E3779B97F4A7C15)) ^ (instructions * UINT64_C(0xC2B2AE3D27D4EB4F));
    for (uint32_t i = (uint32_t)(hash >> 45);; i++) {
        uint32_t *slot = &counter.table[i % table_size];
        if (*slot == 0) {
            if (counter.block_count == blocks_max)
                fail("more translation blocks than there are counters");
            counter.blocks[counter.block_count].address = address;
            counter.blocks[counter.block_count].instructions = instructions;
            *slot = ++counter.block_count;
            return *slot - 1;
        }
        const struct block *block = &counter.blocks[*slot - 1];
        if (block->address == address && block->instructions == instructions)
            return *slot - 1;
    }
}

static uint64_t *counters_of(unsigned int vcpu)
{
#if NULLIUS_PLUGIN_API == 1
    (void)vcpu;
    return counter.counters;
#else
    return qemu_plugin_scoreboard_find(counter.score, vcpu);
#endif
}

/* Gives everything counted since the last sweep to one task. */
static void sweep(unsigned int vcpu, enum task task)
{
    uint64_t *counters = counters_of(vcpu);
    for (uint32_t i = 0; i < counter.block_count; i++) {
        if (counters[i]) {
            counter.blocks[i].executions[task] += counters[i];
            counters[i] = 0;
        }
    }
}

static void write_window(void)
{
    FILE *out = fopen(counter.out, counter.windows == 1 ? "w" : "a");
    if (!out)
        fail("cannot write the file of counts");
    fprintf(out, "window %u %" PRIu64 "\n", counter.windows, counter.switches);
    for (uint32_t i = 0; i < counter.block_count; i++) {
        const struct block *block = &counter.blocks[i];
        const uint64_t *by = block->executions;
        if (by[task_server] | by[task_loader] | by[task_other])
            fprintf(out, "%" PRIx64 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", block->address, block->instructions,
                    by[task_server], by[task_loader], by[task_other]);
    }
    fprintf(out, "end\n");
    if (fclose(out) != 0)
        fail("cannot write the file of counts");
}

/* The loader calls the markers, so the task that runs then is known. */
static void on_open(unsigned int vcpu, void *data)
{
    (void)data;
    if (counter.counting)
        fail("a window opened inside a window");
    memset(counters_of(vcpu), 0, counter.block_count * sizeof(uint64_t));
    for (uint32_t i = 0; i < counter.block_count; i++)
        memset(counter.blocks[i].executions, 0, sizeof counter.blocks[i].executions);
    counter.counting = true;
    counter.switches = 0;
    counter.windows++;
}

static void on_close(unsigned int vcpu, void *data)
{
    (void)data;
    if (!counter.counting)
        return;
    sweep(vcpu, task_loader);
    counter.counting = false;
    write_window();
}

static void on_switch(unsigned int vcpu, void *data)
{
    (void)data;
    counter.switching = true;
    if (!counter.counting)
        return;
    sweep(vcpu, counter.undecided ? task_other : counter.running);
#if NULLIUS_PLUGIN_API == 1
    counter.undecided = true;
#endif
    counter.switches++;
}

/* The first load of the switch function comes from the structure of the task that is switched to. */
__attribute__((unused)) static void on_switch_load(unsigned int vcpu, uint32_t information, uint64_t address, void *data)
{
    (void)vcpu, (void)information, (void)data;
    if (!counter.switching)
        return;
    counter.switching = false;
    counter.structure = address;
    counter.undecided = true;
    for (uint32_t i = 0; i < counter.known_count; i++) {
        if (counter.known[i].structure == address) {
            counter.running = counter.known[i].kind;
            counter.undecided = false;
        }
    }
}

/* A structure may be used again by a later task, so what a task shows replaces what was known. */
__attribute__((unused)) static void remember(uint64_t structure, enum task kind)
{
    uint32_t i = 0;
    while (i < counter.known_count && counter.known[i].structure != structure)
        i++;
    if (i == tasks_max)
        fail("more tasks ran the server and the loader than can be told apart");
    if (i == counter.known_count)
        counter.known_count++;
    counter.known[i].structure = structure;
    counter.known[i].kind = kind;
}

static void on_user(unsigned int vcpu, void *data)
{
    (void)vcpu;
    enum task kind = (enum task)(uintptr_t)data;
    if (!counter.undecided && counter.running == kind)
        return;
#if NULLIUS_PLUGIN_API != 1
    remember(counter.structure, kind);
#endif
    counter.running = kind;
    counter.undecided = false;
}

static bool inside(struct range range, uint64_t address)
{
    return address >= range.low && address < range.high;
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    uint64_t address = qemu_plugin_tb_vaddr(tb);
    uint32_t instructions = (uint32_t)qemu_plugin_tb_n_insns(tb);
    uint32_t number = number_of_block(address, instructions);

    if (address == counter.open)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, on_open, qemu_plugin_no_registers, NULL);
    else if (address == counter.close)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, on_close, qemu_plugin_no_registers, NULL);
    else if (address == counter.task_switch)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, on_switch, qemu_plugin_no_registers, NULL);
    /* The clock may end a block early, so the load may stand in a block of its own. QEMU 7.2 does not report every load, so there a task is
       known only by the user address it comes to, and what a ring does between two waits in the kernel is booked as nobody's. */
#if NULLIUS_PLUGIN_API != 1
    if (inside((struct range){counter.task_switch, counter.task_switch + switch_size}, address)) {
        for (size_t i = 0; i < instructions; i++)
            qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), on_switch_load, qemu_plugin_no_registers, qemu_plugin_memory_read, NULL);
    }
#endif
    if (inside(counter.server, address))
        qemu_plugin_register_vcpu_tb_exec_cb(tb, on_user, qemu_plugin_no_registers, (void *)(uintptr_t)task_server);
    else if (inside(counter.loader, address))
        qemu_plugin_register_vcpu_tb_exec_cb(tb, on_user, qemu_plugin_no_registers, (void *)(uintptr_t)task_loader);

#if NULLIUS_PLUGIN_API == 1
    qemu_plugin_register_vcpu_tb_exec_inline(tb, qemu_plugin_inline_add, &counter.counters[number], 1);
#else
    qemu_plugin_u64 entry = {counter.score, number * sizeof(uint64_t)};
    qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, qemu_plugin_inline_add, entry, 1);
#endif
}

static bool parse_range(const char *text, struct range *range)
{
    return sscanf(text, "%" SCNx64 "-%" SCNx64, &range->low, &range->high) == 2 && range->low < range->high && range->high < user_end;
}

static bool parse_address(const char *text, uint64_t *address)
{
    return sscanf(text, "%" SCNx64, address) == 1;
}

static bool parse_argument(char *argument)
{
    char *value = strchr(argument, '=');
    if (!value)
        return false;
    *value++ = '\0';
    if (!strcmp(argument, "server"))
        return parse_range(value, &counter.server);
    if (!strcmp(argument, "loader"))
        return parse_range(value, &counter.loader);
    if (!strcmp(argument, "open"))
        return parse_address(value, &counter.open);
    if (!strcmp(argument, "close"))
        return parse_address(value, &counter.close);
    if (!strcmp(argument, "switch"))
        return parse_address(value, &counter.task_switch);
    if (!strcmp(argument, "out"))
        return (counter.out = strdup(value)) != NULL;
    return false;
}

QEMU_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (!parse_argument(argv[i])) {
            fprintf(stderr, "counter plugin: cannot read the argument %s\n", argv[i]);
            return -1;
        }
    }
    if (!counter.out || !counter.open || !counter.close || !counter.task_switch || !counter.server.high || !counter.loader.high) {
        fprintf(stderr, "counter plugin: server, loader, open, close, switch and out are all needed\n");
        return -1;
    }
#if NULLIUS_PLUGIN_API != 1
    counter.score = qemu_plugin_scoreboard_new(blocks_max * sizeof(uint64_t));
#endif
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    return 0;
}
