/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/bpf_load.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/capability.h"
#include "base/file.h"
#include "base/xalloc.h"

#define KERNEL_TYPES "/sys/kernel/btf/vmlinux"

const struct bpf_object_open_opts *bpf_load_options(void)
{
	static const struct bpf_object_open_opts options = { .sz = sizeof(options),
							     .btf_custom_path = KERNEL_TYPES };

	return access(KERNEL_TYPES, R_OK) == 0 ? &options : NULL;
}

void bpf_load_without_modules(struct bpf_object *object)
{
	struct bpf_program *any = bpf_object__next_program(object, NULL);
	bool lowered = capability_lower(CAP_SYS_ADMIN);

	if (any)
		(void)bpf_program__set_attach_target(any, 0, "no function has this name");
	if (lowered)
		capability_raise(CAP_SYS_ADMIN);
}

/* kernel_lockdown(7): the word in brackets is the current mode. */
static bool is_locked_down(void)
{
	enum { LIMIT = 4096 };
	_cleanup_(buf_done) struct buf state = { 0 };

	return file_read("/sys/kernel/security/lockdown", LIMIT, &state) == 0 &&
	       strstr(buf_text(&state), "[confidentiality]");
}

static int explain_permission(const struct bpf_load_words *words, int rc, struct err *err)
{
	if (geteuid() == 0)
		return err_set(err, rc,
			       "%s: root lacks CAP_BPF and CAP_PERFMON (in a container?), or a "
			       "security module forbids BPF",
			       words->doing);
	return err_set(err, rc, "%s needs root, or CAP_BPF and CAP_PERFMON%s%s%s", words->doing,
		       words->try ? ": try '" : "", words->try ? words->try : "",
		       words->try ? "'" : "");
}

/* A caller without permission to load BPF programs gets EPERM (bpf(2)). */
static int explain_refusal(const struct bpf_load_words *words, const char *log, int rc,
			   struct err *err)
{
	size_t length;
	const char *said = bpf_load_last_words(log, &length);

	if (length > 0)
		return err_set(err, rc, "this kernel's verifier rejected %s: %.*s", words->programs,
			       (int)length, said);
	return err_set(err, rc, "this kernel's verifier or a security module rejected %s: %s",
		       words->programs, strerror(-rc));
}

static int explain(const struct bpf_load_words *words, const char *log, int rc, struct err *err)
{
	if (is_locked_down())
		return err_set(err, rc,
			       "kernel lockdown (confidentiality) forbids BPF programs that read "
			       "kernel memory");
	switch (-rc) {
	case EACCES:
	case E2BIG:
	case ENOSPC:
		return explain_refusal(words, log, rc, err);
	case EPERM:
		if (*log)
			return explain_refusal(words, log, rc, err);
		return explain_permission(words, rc, err);
	case ENOSYS:
		return err_set(err, rc, "this kernel has no BPF");
	case ENOMEM:
	case EMFILE:
	case ENFILE:
		return err_set(err, rc, "cannot load %s: %s", words->programs, strerror(-rc));
	default:
		break;
	}
	if (words->types && access("/sys/kernel", F_OK) < 0)
		return err_set(err, rc,
			       "/sys is not mounted, so the kernel's type information is missing "
			       "(CONFIG_DEBUG_INFO_BTF)");
	if (words->types && access(KERNEL_TYPES, R_OK) < 0)
		return err_set(err, rc,
			       "this kernel has no type information (CONFIG_DEBUG_INFO_BTF)");
	return err_set(err, rc, "this kernel cannot load %s (needs Linux %s): %s", words->programs,
		       words->release, strerror(-rc));
}

int bpf_load_explain(const struct bpf_load_words *words, int rc, struct err *err)
{
	return explain(words, "", rc, err);
}

/* ---- the verifier's log ---- */

/* The log describes every instruction that the verifier checked. If it does not fit, older kernels
 * drop its end, where the reason is. */
enum { LOG_BYTES = 16 << 20, MAX_WORDS = 200 };

struct bpf_load_log {
	char *text; /* LOG_BYTES */
};

struct bpf_load_log *bpf_load_log_new(void)
{
	struct bpf_load_log *log = xcalloc(1, sizeof(*log));

	log->text = xcalloc(1, LOG_BYTES);
	return log;
}

void bpf_load_log_free(struct bpf_load_log *log)
{
	if (!log)
		return;
	free(log->text);
	free(log);
}

void bpf_load_log_listen(struct bpf_load_log *log, struct bpf_object *object)
{
	struct bpf_program *each;

	bpf_object__for_each_program(each, object)(void)
		bpf_program__set_log_buf(each, log->text, LOG_BYTES);
}

int bpf_load_log_explain(const struct bpf_load_log *log, const struct bpf_load_words *words, int rc,
			 struct err *err)
{
	return explain(words, log->text, rc, err);
}

/* Statistics, which the verifier prints after its reason. */
static bool is_statistics(const char *line)
{
	static const char *const begins[] = { "processed ", "verification time ", "stack depth ",
					      "max_states_per_insn ", "peak_states " };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		if (strncmp(line, begins[i], strlen(begins[i])) == 0)
			return true;
	}
	return false;
}

const char *bpf_load_last_words(const char *text, size_t *ret_length)
{
	const char *end = text + strlen(text), *line;

	while (end > text) {
		const char *before = memrchr(text, '\n', (size_t)(end - text));

		line = before ? before + 1 : text;
		*ret_length = (size_t)(end - line);
		if (*ret_length > MAX_WORDS)
			*ret_length = MAX_WORDS;
		if (*ret_length > 0 && !is_statistics(line))
			return line;
		end = before ? before : text;
	}
	*ret_length = 0;
	return text;
}

bool bpf_load_has_loop(void)
{
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_PERF_EVENT, BPF_FUNC_loop, NULL) == 1;
}

/* A program that calls bpf_kallsyms_lookup_name (bpf-helpers(7)), with the name and the address
 * on its stack. */
#define INSN(operation, to, from, at, value)                                          \
	{                                                                             \
		.code = (operation), .dst_reg = (to), .src_reg = (from), .off = (at), \
		.imm = (value)                                                        \
	}
#define PUT_WORD(at, value) INSN(BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, at, (int32_t)(value))
#define SET(to, value)	    INSN(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value)
#define SET_TO_STACK(to, at)                                     \
	INSN(BPF_ALU64 | BPF_MOV | BPF_X, to, BPF_REG_10, 0, 0), \
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, to, 0, 0, at)

static int load_lookup(const uint32_t *name)
{
	enum { NAME_AT = -24, ADDRESS_AT = -8 };
	LIBBPF_OPTS(bpf_prog_load_opts, options, .prog_flags = BPF_F_SLEEPABLE);
	const struct bpf_insn program[] = {
		PUT_WORD(NAME_AT, name[0]),
		PUT_WORD(NAME_AT + 4, name[1]),
		PUT_WORD(NAME_AT + 8, name[2]),
		PUT_WORD(NAME_AT + 12, name[3]),
		PUT_WORD(ADDRESS_AT, 0),
		PUT_WORD(ADDRESS_AT + 4, 0),
		SET_TO_STACK(BPF_REG_1, NAME_AT),
		SET(BPF_REG_2, BPF_LOAD_SYMBOL),
		SET(BPF_REG_3, 0),
		SET_TO_STACK(BPF_REG_4, ADDRESS_AT),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_kallsyms_lookup_name),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return bpf_prog_load(BPF_PROG_TYPE_SYSCALL, NULL, "GPL", program,
			     sizeof(program) / sizeof(program[0]), &options);
}

bool bpf_load_lacks_symbol(const char *name)
{
	uint32_t words[BPF_LOAD_SYMBOL / sizeof(uint32_t)] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, run);
	_cleanup_close_ int fd = -1;

	memcpy(words, name, strnlen(name, BPF_LOAD_SYMBOL - 1));
	fd = load_lookup(words);
	return fd >= 0 && bpf_prog_test_run_opts(fd, &run) == 0 && (int)run.retval == -ENOENT;
}
