/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arm64's signal trampoline, as the assembler writes it, and where the kernel's headers have the
 * registers; Go's functions that change stacks. */
#include "unwind/special_code.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

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

	assert_true(special_code_trampoline(file, &start, &size));
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

	assert_false(special_code_trampoline(file, &start, &size));
	elf_file_free(file);
	close(fd);
}

/* asm/sigcontext.h of arm64: fault_address, regs[31], sp, pc; asm/ucontext.h: flags, link, stack,
 * sigmask padded to 1024 bits, then those aligned to 16; siginfo has 128 bytes. */
static void test_offsets(void **state)
{
	struct unwind_rule rule = special_code_signal_rule();
	int context = 128 + 8 + 8 + 24 + 128;

	(void)state;
	context = (context + 15) / 16 * 16;
	assert_int_equal(rule.fp_offset, context + 8 + 29 * 8);
	assert_int_equal(rule.cfa_offset, context + 8 + 31 * 8);
	assert_int_equal(rule.ra_offset, context + 8 + 32 * 8);
}

/* Functions as Go's assembler makes them, and the rules at each of their instructions. */

enum { ADDRESS = 0x401000 };

/* "OFFSET RULE" of each row: sp+N, fp, or none. */
static void write_row(void *context, uint64_t address, const struct unwind_rule *rule)
{
	struct buf *text = context;

	assert_int_equal(rule->flags, UNWIND_RULE_SWITCH);
	assert_true(address >= ADDRESS);
	buf_printf(text, "%s%d ", buf_text(text)[0] ? ", " : "", (int)(address - ADDRESS));
	if (rule->cfa == UNWIND_CFA_SWITCHED) {
		buf_add_str(text, "none");
		return;
	}
	assert_int_equal(rule->ra, UNWIND_SAVED_CFA);
	assert_int_equal(rule->ra_offset, -8);
	if (rule->fp != UNWIND_SAVED_SAME) {
		assert_int_equal(rule->fp, UNWIND_SAVED_CFA);
		assert_int_equal(rule->fp_offset, -16);
	}
	if (rule->cfa == UNWIND_CFA_FP) {
		assert_int_equal(rule->cfa_offset, 16);
		buf_printf(text, "fp%s", rule->fp == UNWIND_SAVED_CFA ? "" : " kept");
	} else {
		assert_int_equal(rule->cfa, UNWIND_CFA_SP);
		buf_printf(text, "sp+%d%s", rule->cfa_offset,
			   rule->fp == UNWIND_SAVED_CFA ? " saved" : "");
	}
}

static void check(uint16_t machine, const char *code, size_t size, const char *wanted)
{
	struct buf text = { 0 };

	special_code_switch(machine, ADDRESS, (const uint8_t *)code, size, write_row, &text);
	assert_string_equal(buf_text(&text), wanted);
	buf_done(&text);
}

#define CHECK(code, wanted) check(EM_X86_64, code, sizeof(code) - 1, wanted)

/* sub $24,%rsp; mov %rbp,16(%rsp); lea 16(%rsp),%rbp */
#define OLDER "\x48\x83\xec\x18\x48\x89\x6c\x24\x10\x48\x8d\x6c\x24\x10"
/* mov 16(%rsp),%rbp; add $24,%rsp; ret */
#define OLDER_END "\x48\x8b\x6c\x24\x10\x48\x83\xc4\x18\xc3"
/* mov %rbx,%rsp; call *%rax; mov %r12,%rsp */
#define BODY "\x48\x89\xdc\xff\xd0\x4c\x89\xe4"
/* push %rbp; mov %rsp,%rbp */
#define NEWER "\x55\x48\x89\xe5"

static void older_frames(void **state)
{
	(void)state;
	CHECK(OLDER BODY OLDER_END, "0 sp+8, 4 sp+32, 14 fp, 27 sp+32, 31 sp+8");
	CHECK(OLDER BODY OLDER_END BODY OLDER_END,
	      "0 sp+8, 4 sp+32, 14 fp, 27 sp+32, 31 sp+8, 32 fp, 45 sp+32, 49 sp+8");
	/* the same with constants of four bytes: 0x1000 */
	CHECK("\x48\x81\xec\0\x10\0\0\x48\x89\xac\x24\xf8\x0f\0\0\x48\x8d\xac\x24\xf8\x0f\0\0" BODY
	      "\x48\x8b\xac\x24\xf8\x0f\0\0\x48\x81\xc4\0\x10\0\0\xc3",
	      "0 sp+8, 7 sp+4104, 23 fp, 39 sp+4104, 46 sp+8");
}

static void newer_frames(void **state)
{
	(void)state;
	CHECK(NEWER BODY "\x5d\xc3", "0 sp+8, 1 sp+16 saved, 4 fp, 13 sp+8");
	CHECK(NEWER BODY "\x48\x83\xc4\x10\x5d\xc3" BODY,
	      "0 sp+8, 1 sp+16 saved, 4 fp, 17 sp+8, 18 fp");
}

/* Nothing is known of the caller where the frame pointer is not the function's all the time. */
static void nothing_to_hold_on_to(void **state)
{
	(void)state;
	CHECK(BODY "\xc3", "0 none");
	CHECK("", "0 none");
	CHECK("\x55", "0 none");
	CHECK("\x48\x83\xec", "0 none");
	/* rbp is saved elsewhere than it is set to; no room for it; a negative constant */
	CHECK("\x48\x83\xec\x18\x48\x89\x6c\x24\x08\x48\x8d\x6c\x24\x10" BODY, "0 none");
	CHECK("\x48\x83\xec\x20\x48\x89\x6c\x24\x10\x48\x8d\x6c\x24\x10" BODY, "0 none");
	CHECK("\x48\x83\xec\x88\x48\x89\x6c\x24\x80\x48\x8d\x6c\x24\x80" BODY, "0 none");
	/* it is set to something else on the way */
	CHECK(NEWER "\x31\xed" BODY "\x5d\xc3", "0 none");	       /* xor %ebp,%ebp */
	CHECK(NEWER "\x48\x8b\x68\x68" BODY "\x5d\xc3", "0 none");     /* mov 104(%rax),%rbp */
	CHECK(NEWER "\x48\x89\xc5" BODY "\x5d\xc3", "0 none");	       /* mov %rax,%rbp */
	CHECK(NEWER "\x49\x8d\x2c\x24" BODY "\x5d\xc3", "0 none");     /* lea (%r12),%rbp */
	CHECK(NEWER "\x48\xc7\xc5\0\0\0\0" BODY "\x5d\xc3", "0 none"); /* mov $0,%rbp */
	CHECK(NEWER BODY "\x5d\xff\xe7", "0 none");		       /* pop %rbp; jmp *%rdi */
	CHECK(OLDER BODY "\x48\x8b\x6c\x24\x08\x48\x83\xc4\x18\xc3", "0 none");
	check(EM_AARCH64, NEWER BODY "\x5d\xc3", 14, "0 none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),	cmocka_unit_test(test_not_found),
		cmocka_unit_test(test_offsets), cmocka_unit_test(older_frames),
		cmocka_unit_test(newer_frames), cmocka_unit_test(nothing_to_hold_on_to),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}
