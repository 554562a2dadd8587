/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arm64's signal trampoline, as the assembler writes it, and where the kernel's headers have the
 * registers. */
#include "unwind/signal_trampoline.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>

#include "tools.h"
#include "unwind/row_table.h"

static const char source[] = ".text\n.globl f\nf: .cfi_startproc\nret\n.cfi_endproc\n"
			     ".skip 64\nnop\n"
			     ".globl __kernel_rt_sigreturn\n"
			     "__kernel_rt_sigreturn: mov x8, #139\nsvc #0\nnop\n";

static struct elf_file *build(const char *folder, const char *text, int *ret_fd)
{
	char path[TOOLS_PATH], program[TOOLS_PATH];
	struct buf out = { 0 };
	struct elf_file *file;

	if (!tools_have("aarch64-linux-gnu-gcc")) {
		print_message("needs aarch64-linux-gnu-gcc\n");
		skip();
	}
	snprintf(path, sizeof(path), "%s/vdso.s", folder);
	snprintf(program, sizeof(program), "%s/vdso", folder);
	tools_write(path, text, strlen(text));
	if (tools_run(&out, "aarch64-linux-gnu-gcc -shared -nostdlib -o '%s' '%s' 2>&1", program,
		      path))
		fail_msg("%s", buf_text(&out));
	buf_done(&out);
	*ret_fd = open(program, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(*ret_fd, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	return file;
}

static void test_found(void **state)
{
	int fd;
	struct elf_file *file = build(*state, source, &fd);
	uint64_t text = elf_file_find(file, ".text")->address, start, size;
	struct row_table *table;
	const struct unwind_rule *rule;

	assert_true(signal_trampoline_find(file, &start, &size));
	assert_int_equal(start, text + 4 + 64); /* one instruction early */
	assert_int_equal(size, 12);
	assert_int_equal(row_table_compile(file, NULL, &table, NULL), 0);
	rule = row_table_find(row_table_rows(table), start + 3);
	assert_non_null(rule);
	assert_int_equal(rule->flags, UNWIND_RULE_SIGNAL);
	assert_ptr_equal(row_table_find(row_table_rows(table), start + 11), rule);
	assert_null(row_table_find(row_table_rows(table), start + 12));
	assert_null(row_table_find(row_table_rows(table), start - 1));
	row_table_free(table);
	elf_file_free(file);
	close(fd);
}

static void test_not_found(void **state)
{
	int fd;
	uint64_t start, size;
	struct elf_file *file =
		build(*state, ".text\nmov x8, #138\nsvc #0\nmov x8, #139\nnop\nsvc #0\n", &fd);

	assert_false(signal_trampoline_find(file, &start, &size));
	elf_file_free(file);
	close(fd);
}

/* asm/sigcontext.h of arm64: fault_address, regs[31], sp, pc; asm/ucontext.h: flags, link, stack,
 * sigmask padded to 1024 bits, then those aligned to 16; siginfo has 128 bytes. */
static void test_offsets(void **state)
{
	struct unwind_rule rule = signal_trampoline_rule();
	int context = 128 + 8 + 8 + 24 + 128;

	(void)state;
	context = (context + 15) / 16 * 16;
	assert_int_equal(rule.fp_offset, context + 8 + 29 * 8);
	assert_int_equal(rule.cfa_offset, context + 8 + 31 * 8);
	assert_int_equal(rule.ra_offset, context + 8 + 32 * 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_not_found),
		cmocka_unit_test(test_offsets),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}
