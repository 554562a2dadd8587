/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The running kernel, whose functions are where /proc/kallsyms has them. */
#include "code/kernel_code.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "place/files/recorded_files.h"
#include "place/kernel/kernel_symbols.h"
#include "place/kernel/kernel_text.h"

struct kernel {
	struct profile *profile; /* recorded now */
	struct kernel_symbols *symbols;
	struct kernel_code *code;
	int program; /* a BPF program that nobody else has, with its PID in code and name; -1: none
		      */
};

static void program_name(char name[BPF_OBJ_NAME_LEN])
{
	snprintf(name, BPF_OBJ_NAME_LEN, "own%d", (int)getpid());
}

static int load_program(void)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = (int)getpid() },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
				.insn_cnt = sizeof(code) / sizeof(code[0]),
				.insns = (uintptr_t)code,
				.license = (uintptr_t) "GPL" };

	program_name(attr.prog_name);
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static int set_up(void **state)
{
	const struct kernel_symbols_options options = { 0 };
	struct kernel *kernel = calloc(1, sizeof(*kernel));

	*state = kernel;
	kernel->profile = profile_new();
	kernel->program = load_program();
	return kernel_symbols_new(kernel->profile, &options, &kernel->symbols, NULL);
}

static int tear_down(void **state)
{
	struct kernel *kernel = *state;

	kernel_code_free(kernel->code);
	if (kernel->program >= 0)
		close(kernel->program);
	kernel_symbols_free(kernel->symbols);
	profile_free(kernel->profile);
	free(kernel);
	return 0;
}

static void need_code(struct kernel *kernel)
{
	struct err err = { 0 };

	if (kernel->code || kernel_code_open(kernel->profile, &kernel->code, &err) == 0)
		return;
	print_message("the kernel's code is not to be had: %s\n", err.text);
	skip();
}

static bool begins_with(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

/* bpf_prog_HASH_NAME */
static bool is_program(const char *name, const char *with)
{
	return begins_with(name, "bpf_prog_") && strlen(name) > strlen(with) &&
	       strcmp(name + strlen(name) - strlen(with), with) == 0;
}

/* The first line of /proc/kallsyms with such a name; @module "": of the kernel proper. */
static bool find_in_kallsyms(bool (*is)(const char *name, const char *with), const char *name,
			     const char *module, uint64_t *ret_address)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[512];
	bool good = false;

	while (!good && fgets(line, sizeof(line), file)) {
		char found[256], of[64] = "";

		good = sscanf(line, "%" SCNx64 " %*c %255s %63s", ret_address, found, of) >= 2 &&
		       is(found, name) && strcmp(of, module) == 0;
	}
	fclose(file);
	return good;
}

static struct symbol symbol_at(struct kernel *kernel, uint64_t address)
{
	struct symbol symbol;
	uint64_t offset;
	uint32_t image;

	kernel_symbols_place(kernel->symbols, address, &image, &offset);
	kernel_symbols_lookup(kernel->symbols, image, offset, &symbol);
	symbol.image = image;
	return symbol;
}

struct seen {
	uint64_t next; /* where the next line must begin */
	unsigned lines;
	bool named;
};

static bool see(void *context, const struct code_line *line)
{
	struct seen *seen = context;

	assert_int_equal(line->address, seen->next);
	assert_true(line->length > 0 && *line->text);
	seen->next += line->length;
	seen->named |= strchr(line->text, '<') != NULL;
	seen->lines++;
	return true;
}

/* All instructions of a function, without gaps. */
static void assert_listed(struct kernel *kernel, const struct symbol *symbol, uint64_t address)
{
	const struct disassembler_options none = { 0 };
	_cleanup_(disassembler_freep) struct disassembler *disassembler = disassembler_new(&none);
	struct seen seen = { .next = address };
	struct err err = { 0 };
	uint64_t shift = 0;

	if (kernel_code_shift(kernel->code, symbol, &shift, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(symbol->start + shift, address);
	if (kernel_code_list(kernel->code, disassembler, address, address + symbol->size,
			     address + symbol->size, see, &seen, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(seen.next, address + symbol->size);
	assert_true(seen.lines > 1);
}

static void functions_of_the_kernel(void **state)
{
	static const char *const names[] = { "schedule", "vfs_read", "kernel_clone" };
	struct kernel *kernel = *state;
	uint64_t address;

	need_code(kernel);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct symbol symbol;

		if (!find_in_kallsyms(begins_with, names[i], "", &address))
			continue;
		symbol = symbol_at(kernel, address);
		assert_int_equal(symbol.kind, SYMBOL_NAMED);
		assert_listed(kernel, &symbol, address);
	}
}

/* No line begins at or after the end, though the last one may extend past it. */
static void up_to_the_end(void **state)
{
	const struct disassembler_options none = { 0 };
	_cleanup_(disassembler_freep) struct disassembler *disassembler = disassembler_new(&none);
	struct kernel *kernel = *state;
	struct seen seen = { 0 };
	uint64_t address;

	need_code(kernel);
	assert_true(find_in_kallsyms(begins_with, "vfs_read", "", &address));
	seen.next = address;
	assert_int_equal(kernel_code_list(kernel->code, disassembler, address, address + 1, 0, see,
					  &seen, NULL),
			 0);
	assert_int_equal(seen.lines, 1);
	assert_int_equal(kernel_code_list(kernel->code, disassembler, address,
					  address + KERNEL_TEXT_MAX + 1, 0, see, &seen, NULL),
			 -EFBIG);
	assert_int_equal(
		kernel_code_list(kernel->code, disassembler, 4096, 4100, 0, see, &seen, NULL),
		-EFAULT);
}

/* Code made at run time is known by its name, which has a hash of it, and its size. */
static void bpf_programs(void **state)
{
	struct kernel *kernel = *state;
	struct err err = { 0 };
	struct symbol symbol;
	uint64_t address, shift = 7;
	char name[BPF_OBJ_NAME_LEN];

	need_code(kernel);
	program_name(name);
	if (kernel->program < 0 || !find_in_kallsyms(is_program, name, "[bpf]", &address)) {
		print_message("no BPF program can be loaded, or it is interpreted\n");
		skip();
	}
	symbol = symbol_at(kernel, address);
	assert_int_equal(kernel->profile->images.items[symbol.image].kind, IMAGE_BPF);
	assert_listed(kernel, &symbol, address);
	symbol.size++;
	assert_int_equal(kernel_code_shift(kernel->code, &symbol, &shift, &err), -ENOENT);
	assert_int_equal(shift, 7);
	symbol.size--;
	symbol.name = strpool_intern(&kernel->profile->strings, "bpf_trampoline_6442");
	assert_int_equal(kernel_code_shift(kernel->code, &symbol, &shift, &err), -ENOENT);
}

static void modules_that_are_not_there(void **state)
{
	struct kernel *kernel = *state;
	struct image module = { .kind = IMAGE_MODULE, .build_id_size = 20 };
	struct symbol symbol = { .start = 0x10, .size = 16, .kind = SYMBOL_NAMED };
	struct err err = { 0 };
	uint64_t shift;

	need_code(kernel);
	module.path = strpool_intern(&kernel->profile->strings, "[no_such_module]");
	symbol.image = profile_image(kernel->profile, &module);
	assert_int_equal(kernel_code_shift(kernel->code, &symbol, &shift, &err), -ENOENT);
	assert_string_equal(err.text, "this build of the module is not loaded now");
}

static void another_kernel(void **state)
{
	struct profile *profile = profile_new();
	struct image image = { .kind = IMAGE_KERNEL, .build_id_size = 20 };
	struct kernel_code *code = NULL;
	struct err err = { 0 };

	profile_set_text(&profile->run.kernel_release, "2.4.14");
	assert_int_equal(kernel_code_open(profile, &code, &err), -ESTALE);
	image.path = strpool_intern(&profile->strings, "[kernel]");
	profile_image(profile, &image);
	assert_int_equal(kernel_code_open(profile, &code, &err), -ESTALE);
	assert_null(code);
	assert_non_null(strstr(err.text, "2.4.14"));
	assert_non_null(strstr(err.text, "-L"));
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_the_kernel),
		cmocka_unit_test(up_to_the_end),
		cmocka_unit_test(bpf_programs),
		cmocka_unit_test(modules_that_are_not_there),
		cmocka_unit_test(another_kernel),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
