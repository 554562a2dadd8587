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
	uint64_t text = elf_file_find(file, ".text")->address, start = text + 4 + 64 + 4;
	struct special_trampoline found[SPECIAL_CODE_TRAMPOLINES];
	struct row_table *table;
	const struct unwind_rule *rule;

	assert_int_equal(special_code_trampolines(file, found), 1);
	assert_int_equal(found[0].start, start);
	assert_int_equal(found[0].end, start + 9);
	assert_int_equal(row_table_compile(file, NULL, &table, NULL), 0);
	rule = row_table_find(row_table_rows(table), start - 1);
	assert_non_null(rule);
	assert_int_equal(rule->flags, UNWIND_RULE_SIGNAL);
	assert_ptr_equal(row_table_find(row_table_rows(table), start + 7), rule);
	assert_null(row_table_find(row_table_rows(table), start + 9));
	assert_null(row_table_find(row_table_rows(table), start - 2));
	row_table_free(table);
	elf_file_free(file);
	close(fd);
}

static void test_not_found(void **state)
{
	int fd;
	struct special_trampoline found[SPECIAL_CODE_TRAMPOLINES];
	struct elf_file *file =
		build(*state, ".text\nmov x8, #138\nsvc #0\nmov x8, #139\nnop\nsvc #0\n", &fd);

	assert_int_equal(special_code_trampolines(file, found), 0);
	elf_file_free(file);
	close(fd);
}

/* x86-64: both forms, with a description of the plain kind, with none, after a return, after a call
 * that does not return, and with a description that says what it is. */
static void test_x86_64(void **state)
{
	static const char text[] =
		".text\nret\n.byte 0x48, 0xc7, 0xc0, 15, 0, 0, 0\nsyscall\nhlt\n"
		".balign 64\n.cfi_startproc\nmov $15, %eax\nsyscall\n.cfi_endproc\n"
		".balign 64\nnop\ncall .\nmov $15, %eax\nsyscall\nhlt\n"
		".balign 64\n.cfi_startproc\n.cfi_signal_frame\n.cfi_def_cfa 7, 24\nnop\n"
		"mov $15, %eax\nsyscall\n.cfi_endproc\n";
	static const struct {
		int offset, flags; /* of a row; -1: none */
	} rows[] = {
		{ 0, UNWIND_RULE_SIGNAL | UNWIND_RULE_AFTER_RETURN },
		{ 1, UNWIND_RULE_SIGNAL },
		{ 9, UNWIND_RULE_SIGNAL },
		{ 10, UNWIND_RULE_SIGNAL },
		{ 11, -1 },
		{ 63, UNWIND_RULE_SIGNAL },
		{ 64, UNWIND_RULE_SIGNAL },
		{ 70, UNWIND_RULE_SIGNAL },
		{ 128 + 5, -1 },
		{ 128 + 6, UNWIND_RULE_SIGNAL },
		{ 192 + 1, UNWIND_RULE_SIGNAL },
	};
	char path[TOOLS_PATH], program[TOOLS_PATH];
	struct buf out = { 0 };
	struct elf_file *file;
	struct row_table *table;
	uint64_t start;
	int fd;

	snprintf(path, sizeof(path), "%s/signal.s", (char *)*state);
	snprintf(program, sizeof(program), "%s/signal", (char *)*state);
	tools_write(path, text, strlen(text));
	if (tools_run(&out, "gcc -shared -nostdlib -o '%s' '%s' 2>&1", program, path)) {
		print_message("needs gcc for x86-64\n");
		skip();
	}
	buf_done(&out);
	fd = open(program, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(fd, &file, NULL), 0);
	assert_int_equal(elf_file_read_sections(file, NULL), 0);
	start = elf_file_find(file, ".text")->address;
	assert_int_equal(row_table_compile(file, NULL, &table, NULL), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct unwind_rule *rule =
			row_table_find(row_table_rows(table), start + (uint64_t)rows[i].offset);

		assert_int_equal(rule ? rule->flags : -1, rows[i].flags);
	}
	/* the description that says it is kept */
	assert_int_equal(row_table_find(row_table_rows(table), start + 192 + 1)->cfa_offset, 24);
	row_table_free(table);
	elf_file_free(file);
	close(fd);
}

/* asm/sigcontext.h of arm64: fault_address, regs[31], sp, pc; asm/ucontext.h: flags, link, stack,
 * sigmask padded to 1024 bits, then those aligned to 16; siginfo has 128 bytes. */
static void test_offsets(void **state)
{
	struct unwind_rule rule = special_code_signal_rule(EM_AARCH64);
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
	if (rule->cfa == UNWIND_CFA_SWITCHED || rule->ra == UNWIND_SAVED_UNDEFINED) {
		buf_add_str(text, rule->cfa == UNWIND_CFA_SWITCHED ? "none" : "start");
		return;
	}
	assert_int_equal(rule->ra, UNWIND_SAVED_CFA);
	assert_int_equal(rule->ra_offset, -8);
	if (rule->cfa == UNWIND_CFA_GO_RESUMED) {
		buf_printf(text, "resumed(%d %d %d %d %d)", rule->cfa_offset, rule->reg, rule->add,
			   rule->more, rule->fp == UNWIND_SAVED_CFA ? rule->fp_offset : 0);
		return;
	}
	if (rule->fp != UNWIND_SAVED_SAME) {
		assert_int_equal(rule->fp, UNWIND_SAVED_CFA);
		assert_int_equal(rule->fp_offset, -16);
	}
	if (rule->cfa >= UNWIND_CFA_GO_DEPTH) {
		buf_printf(text, "%s(%d %d %d %d)%s",
			   rule->cfa == UNWIND_CFA_GO_DEPTH ? "depth" : "saved", rule->cfa_offset,
			   rule->reg, rule->add, rule->more,
			   rule->fp == UNWIND_SAVED_CFA ? " linked" : "");
	} else if (rule->cfa == UNWIND_CFA_REGISTER) {
		buf_printf(text, "r%d+%d", rule->reg, rule->cfa_offset);
	} else if (rule->cfa == UNWIND_CFA_SP_DEREF) {
		buf_printf(text, "*(sp+%d)+%d", rule->cfa_offset, rule->add);
	} else if (rule->cfa == UNWIND_CFA_FP) {
		assert_int_equal(rule->cfa_offset, 16);
		buf_printf(text, "fp%s", rule->fp == UNWIND_SAVED_CFA ? "" : " kept");
	} else {
		assert_int_equal(rule->cfa, UNWIND_CFA_SP);
		buf_printf(text, "sp+%d%s", rule->cfa_offset,
			   rule->fp == UNWIND_SAVED_CFA ? " saved" : "");
	}
}

static void check_kind(uint16_t machine, enum special_switch kind,
		       const struct special_go_path *path, const char *code, size_t size,
		       const char *wanted)
{
	const struct special_function function = { .machine = machine,
						   .kind = kind,
						   .path = path,
						   .address = ADDRESS,
						   .code = (const uint8_t *)code,
						   .size = size };
	struct buf text = { 0 };

	special_code_switch(&function, write_row, &text);
	assert_string_equal(buf_text(&text), wanted);
	buf_done(&text);
}

static void check(uint16_t machine, const char *code, size_t size, const char *wanted)
{
	const struct special_go_path none = { .known = false };

	check_kind(machine, SPECIAL_SWITCH_OTHER, &none, code, size, wanted);
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

/* The functions of Go's runtime, as Go 1.19 makes them (OLD) and with what later releases changed. */

static const struct special_go_path known = {
	.known = true, .g = -8, .m = 48, .curg = 192, .saved = 56
};

/* mov 8(%rsp),%rdi; call; mov 56(%rdx),%rbx; mov %rbx,%rsp; call *%rdi */
#define TO_SYSTEM_STACK "\x48\x8b\x7c\x24\x08\xe8\0\0\0\0\x48\x8b\x5a\x38\x48\x89\xdc\xff\xd7"
/* mov 48(%rax),%rbx; mov 192(%rbx),%rax */
#define TO_CURG "\x48\x8b\x58\x30\x48\x8b\x83\xc0\0\0\0"
/* mov 56(%rax),%rsp; movq $0,56(%rax) */
#define FROM_CURG "\x48\x8b\x60\x38\x48\xc7\x40\x38\0\0\0\0"
/* mov %fs:-16,%rax; ...; mov %rax,%fs:-16; ... */
#define BACK                                           \
	"\x64\x48\x8b\x04\x25\xf0\xff\xff\xff" TO_CURG \
	"\x64\x48\x89\x04\x25\xf0\xff\xff\xff" FROM_CURG
/* mov $-8,%rcx; mov %fs:(%rcx),%rax; ...; mov %rax,%fs:(%rcx); ... */
#define BACK_PIE "\x48\xc7\xc1\xf8\xff\xff\xff\x64\x48\x8b\x01" TO_CURG "\x64\x48\x89\x01" FROM_CURG
/* mov 56(%rdx),%rsp; call *%rdi */
#define TO_SYSTEM_STACK_LATER "\xe8\0\0\0\0\x48\x8b\x62\x38\xff\xd7"

static bool path_of(const char *code, size_t size, struct special_go_path *ret_path)
{
	return special_code_go_path((const uint8_t *)code, size, ret_path);
}

#define PATH_OF(code, path) path_of(code, sizeof(code) - 1, path)

static void the_path_to_the_goroutine(void **state)
{
	struct special_go_path path = { .known = false };

	(void)state;
	assert_true(PATH_OF(TO_SYSTEM_STACK BACK "\xc3", &path));
	assert_true(path.known);
	assert_int_equal(path.g, -16);
	assert_int_equal(path.m, 48);
	assert_int_equal(path.curg, 192);
	assert_int_equal(path.saved, 56);
	assert_true(PATH_OF(TO_SYSTEM_STACK BACK_PIE "\xc3", &path));
	assert_int_equal(path.g, -8);
	/* where g is is read from memory, as in shared objects */
	assert_false(PATH_OF("\x48\x8b\x0d\0\0\0\0\x64\x48\x8b\x01" TO_CURG
			     "\x64\x48\x89\x01" FROM_CURG,
			     &path));
	assert_false(PATH_OF(TO_CURG FROM_CURG, &path));
	assert_false(PATH_OF("", &path));
	for (size_t size = 0; size < sizeof(BACK) - 13; size++)
		assert_false(path_of(BACK, size, &path));
}

#define KIND(kind, path, code, wanted) \
	check_kind(EM_X86_64, SPECIAL_SWITCH_##kind, path, code, sizeof(code) - 1, wanted)

static void to_the_system_stack(void **state)
{
	const struct special_go_path none = { .known = false };

	(void)state;
	KIND(SYSTEM_STACK, &known, TO_SYSTEM_STACK BACK "\xc3\xff\xe7",
	     "0 sp+8, 17 saved(-8 48 192 56), 52 sp+8");
	KIND(SYSTEM_STACK, &known, TO_SYSTEM_STACK BACK_PIE "\xc3",
	     "0 sp+8, 17 saved(-8 48 192 56), 49 sp+8");
	KIND(SYSTEM_STACK, &known, NEWER TO_SYSTEM_STACK_LATER BACK "\x5d\xc3\x90\x5d\xff\xe7\x90",
	     "0 sp+8, 1 sp+16 saved, 4 fp, 13 saved(-8 48 192 56) linked, 48 fp, 57 sp+8, "
	     "58 fp, 60 sp+8, 62 fp");
	KIND(SYSTEM_STACK, &none, TO_SYSTEM_STACK BACK "\xc3", "0 none");
	KIND(SYSTEM_STACK, &known, TO_SYSTEM_STACK "\xc3", "0 none");
	check_kind(EM_AARCH64, SPECIAL_SWITCH_SYSTEM_STACK, &known, TO_SYSTEM_STACK BACK,
		   sizeof(TO_SYSTEM_STACK BACK) - 1, "0 none");
}

static void what_never_returns(void **state)
{
	(void)state;
	/* mov %rbp,104(%rsi); mov 56(%rbx),%rsp; call */
	KIND(MORE_STACK, &known, "\x48\x89\x6e\x68\x48\x8b\x63\x38\xe8\0\0\0\0",
	     "0 sp+8, 8 resumed(-8 48 192 56 104)");
	KIND(MORE_STACK, &known, "\x48\x8b\x04\x24\x48\x8b\x63\x38\xe8\0\0\0\0",
	     "0 sp+8, 8 resumed(-8 48 192 56 0)");
	KIND(MORE_STACK, &known, "\x48\x8b\x04\x24\xc3", "0 none");
	/* mov 56(%r14),%rsp; push %rax; call *%r12 */
	KIND(FOR_GOOD, &known, "\x49\x8b\x66\x38\x50\x41\xff\xd4", "0 sp+8, 4 start");
	/* mov %rsi,%rsp; call *%r12 */
	KIND(FOR_GOOD, &known, "\x0f\x05\x48\x89\xf4\x41\xff\xd4", "0 sp+8, 5 start");
	KIND(FOR_GOOD, &known, "\x0f\x05\xc3", "0 none");
	KIND(START, &known, "\xe8\0\0\0\0\xc3", "0 start");
	check_kind(EM_AARCH64, SPECIAL_SWITCH_START, &known, "", 0, "0 start");
}

/* mov %rsp,%rdx; mov 56(%rsi),%rsp; sub $64,%rsp; mov %rdi,48(%rsp); mov 8(%rdi),%rdi;
 * mov %rdi,40(%rsp); call *%rax */
#define CALL_C                                                             \
	"\x48\x89\xe2\x48\x8b\x66\x38\x48\x83\xec\x40\x48\x89\x7c\x24\x30" \
	"\x48\x8b\x7f\x08\x48\x89\x7c\x24\x28\xff\xd0"
/* mov 48(%rsp),%rdi; mov 8(%rdi),%rsi; sub 40(%rsp),%rsi; mov %rsi,%rsp; ret */
#define BACK_FROM_C "\x48\x8b\x7c\x24\x30\x48\x8b\x77\x08\x48\x2b\x74\x24\x28\x48\x89\xf4\xc3"
/* sub $64,%rsp; mov %rdx,40(%rsp); call *%rax; mov 40(%rsp),%rsi; mov %rsi,%rsp; ret */
#define STAY                                                                           \
	"\x48\x83\xec\x40\x48\x89\x54\x24\x28\xff\xd0\x48\x8b\x74\x24\x28\x48\x89\xf4" \
	"\xc3"
/* the same with 8(%rsp) and (%rsp) */
#define CALL_C_LATER                                                       \
	"\x48\x89\xe2\x48\x8b\x66\x38\x48\x83\xec\x10\x48\x89\x7c\x24\x08" \
	"\x48\x8b\x7f\x08\x48\x89\x3c\x24\xff\xd0"
#define BACK_FROM_C_LATER "\x48\x8b\x7c\x24\x08\x48\x8b\x77\x08\x48\x2b\x34\x24\x48\x89\xf4\x5d\xc3"
#define STAY_LATER	  "\x48\x83\xec\x10\x48\x89\x14\x24\xff\xd0\x48\x8b\x34\x24\x48\x89\xf4\x5d\xc3"

static void calls_of_c(void **state)
{
	(void)state;
	KIND(CGO_CALL, &known, CALL_C BACK_FROM_C STAY,
	     "0 sp+8, 7 r1+8, 25 depth(48 40 8 0), 44 sp+8, 45 r1+8, 54 *(sp+40)+8, 64 sp+8");
	KIND(CGO_CALL, &known, NEWER CALL_C_LATER BACK_FROM_C_LATER STAY_LATER,
	     "0 sp+8, 1 sp+16 saved, 4 fp, 11 r1+16, 28 depth(8 0 8 0) linked, 46 fp, 47 sp+8, "
	     "48 r1+16, 56 *(sp+0)+16, 65 fp, 66 sp+8");
	KIND(CGO_CALL, &known, CALL_C BACK_FROM_C, "0 none");
	KIND(CGO_CALL, &known, CALL_C STAY, "0 none");
	KIND(CGO_CALL, &known, "", "0 none");
}

static void names_of_switches(void **state)
{
	enum special_switch kind = SPECIAL_SWITCH_OTHER;
	size_t count = 0;

	(void)state;
	for (const char *name; (name = special_code_switch_name(count, &kind)); count++) {
		assert_memory_equal(name, "runtime.", 8);
		assert_int_not_equal(kind, SPECIAL_SWITCH_OTHER);
	}
	assert_int_equal(count, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_not_found),
		cmocka_unit_test(test_x86_64),
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(older_frames),
		cmocka_unit_test(newer_frames),
		cmocka_unit_test(nothing_to_hold_on_to),
		cmocka_unit_test(the_path_to_the_goroutine),
		cmocka_unit_test(to_the_system_stack),
		cmocka_unit_test(what_never_returns),
		cmocka_unit_test(calls_of_c),
		cmocka_unit_test(names_of_switches),
	};

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}
