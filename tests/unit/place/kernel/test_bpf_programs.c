/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/bpf_programs.h"

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

/* Where /proc/kallsyms has the program; 0: it does not tell. */
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

struct wanted {
	uint64_t address, size;
};

static void look(void *context, uint64_t start, uint64_t size)
{
	struct wanted *wanted = context;

	if (start == wanted->address)
		wanted->size = size;
}

/* A program of our own; the oracle for its address is /proc/kallsyms. */
static void test_own_program(void **state)
{
	int fd = load_program();
	struct wanted wanted = { .address = fd < 0 ? 0 : listed_at() };

	(void)state;
	if (!wanted.address) {
		print_message("cannot load a BPF program here, or kallsyms hides it\n");
		skip();
	}
	assert_int_equal(bpf_programs_each(look, &wanted), 0);
	assert_in_range(wanted.size, 3, 200); /* two instructions, with entry and exit */
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_own_program) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
