/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/kernel_jit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

/* r0 = 0; exit */
static const struct bpf_insn program[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
	{ .code = BPF_JMP | BPF_EXIT },
};

static int load_program(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insn_cnt = sizeof(program) / sizeof(program[0]);
	attr.insns = (uintptr_t)program;
	attr.license = (uintptr_t) "GPL";
	memcpy(attr.prog_name, "prospect_test", 14);
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

/* Where /proc/kallsyms has the program; 0: it hides or lacks it. */
static uint64_t listed_at(void)
{
	FILE *grep =
		popen("sed -n 's/^\\([0-9a-f]*\\) . bpf_prog_[0-9a-f]*_prospect_test\\t.*/\\1/p' "
		      "/proc/kallsyms",
		      "r");
	uint64_t address = 0;

	assert_non_null(grep);
	if (fscanf(grep, "%" SCNx64, &address) != 1)
		address = 0;
	pclose(grep);
	return address;
}

static void take_line(void *context, const struct kallsyms_line *line)
{
	kernel_jit_list(context, line);
}

/* A program of our own; the oracle for its address is /proc/kallsyms. */
static void test_own_program(void **state)
{
	struct kernel_tables tables = { .profile = profile_new() };
	struct kernel_jit jit = { .tables = &tables };
	int fd = load_program();
	uint64_t address = fd < 0 ? 0 : listed_at(), size = 0;
	struct symbol symbol = { 0 };

	(void)state;
	if (!address) {
		profile_free(tables.profile);
		print_message("cannot load a BPF program here, or kallsyms hides it\n");
		skip();
	}
	assert_int_equal(kallsyms_read("/proc/kallsyms", take_line, &jit, NULL), 0);
	kernel_jit_take_listed(&jit);
	for (size_t i = 0; i < jit.list.count; i++) {
		const struct mapping *piece = &jit.list.items[i];

		if (piece->start != address)
			continue;
		size = piece->end - piece->start;
		kernel_tables_lookup(&tables, piece->image, piece->offset, &symbol);
	}
	assert_in_range(size, 3, 200); /* two instructions, with entry and exit */
	assert_int_equal(symbol.kind, SYMBOL_NAMED);
	assert_int_equal(symbol.size, size);
	assert_non_null(strstr(profile_text(tables.profile, symbol.name), "_prospect_test"));
	close(fd);
	kernel_jit_done(&jit);
	kernel_tables_done(&tables);
	profile_free(tables.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_own_program) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
