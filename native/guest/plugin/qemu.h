/*
 * The part of QEMU's TCG plugin interface that the counter uses, declared from QEMU's documentation, because Debian packages
 * no header for it. QEMU 7.2 speaks version 1 and QEMU 10.0 versions 2 to 4; what differs is how an inline counter is named.
 */
#ifndef NULLIUS_QEMU_H
#define NULLIUS_QEMU_H

#include <stddef.h>
#include <stdint.h>

#define QEMU_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum { qemu_plugin_no_registers = 0 };
enum { qemu_plugin_inline_add = 0 };
enum { qemu_plugin_memory_read = 1 };

typedef void (*qemu_plugin_translate_t)(qemu_plugin_id_t, struct qemu_plugin_tb *);
typedef void (*qemu_plugin_execute_t)(unsigned int vcpu, void *data);
typedef void (*qemu_plugin_memory_t)(unsigned int vcpu, uint32_t information, uint64_t address, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, qemu_plugin_translate_t);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, qemu_plugin_execute_t, int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, qemu_plugin_memory_t, int flags, int access, void *data);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t index);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);

#if NULLIUS_PLUGIN_API == 1
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int operation, void *counter, uint64_t operand);
#else
struct qemu_plugin_scoreboard;
typedef struct {
    struct qemu_plugin_scoreboard *score;
    size_t offset;
} qemu_plugin_u64;
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *, unsigned int vcpu);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *, int operation, qemu_plugin_u64 counter, uint64_t operand);
#endif

#endif
