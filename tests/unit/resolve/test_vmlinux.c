/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This program plays the kernel: its own file is the vmlinux, nm(1) tells what is in it. The
 * symbols behind _text count, which is the first function below.
 */
#include "resolve/vmlinux.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define LOADED_AT 0xffffffff90000000

void _text(void) __attribute__((noinline, used));
void _text(void)
{
	__asm__ volatile("");
}

static struct elf_build_id own_id;

static int read_own_id(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct elf_file *file;

	(void)state;
	if (elf_file_open(fd, &file, NULL) < 0)
		return -1;
	own_id = *elf_file_build_id(file);
	elf_file_free(file);
	close(fd);
	return 0;
}

/* A kernel of which only _text and its end are known. */
static struct kernel_core running(void)
{
	static const struct kallsyms_line lines[] = {
		{ .address = LOADED_AT, .type = 'T', .name = "_text", .module = "" },
		{ .address = LOADED_AT + (1 << 30), .type = 'T', .name = "_etext", .module = "" },
	};
	struct kernel_core core = { 0 };

	for (size_t i = 0; i < 2; i++)
		kernel_core_add(&core, &lines[i]);
	kernel_core_finish(&core, KERNEL_BOUND_COUNT);
	return core;
}

static void need_build_id(void)
{
	if (own_id.size)
		return;
	print_message("this program was linked without a build id\n");
	skip();
}

/* Every sized function that nm lists must be there, with its size or within one that starts there,
 * too (an alias). */
static void test_equals_nm(void **state)
{
	struct kernel_core core = running();
	struct err err = { 0 };
	char line[512], name[256], type;
	uint64_t value, size, text = 0;
	unsigned checked = 0;
	FILE *nm = popen("nm -n -S /proc/$PPID/exe", "r");

	(void)state;
	need_build_id();
	assert_non_null(nm);
	if (vmlinux_use(&core, "/proc/self/exe", &own_id, &err) < 0)
		fail_msg("%s", err.text);
	kernel_table_settle(&core.table, core.segments, core.segment_count);
	while (fgets(line, sizeof(line), nm)) {
		const struct kernel_function *function;

		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c %255s", &value, &size, &type, name) !=
		    4)
			continue;
		if (strcmp(name, "_text") == 0)
			text = value;
		if (!text || (type != 't' && type != 'T') || !size)
			continue;
		function = kernel_table_before(&core.table, (uint32_t)(value - text));
		assert_non_null(function);
		assert_int_equal(function->start, value - text);
		if (strcmp(name, kernel_table_name(&core.table, function)) == 0)
			assert_int_equal(function->size, size);
		checked++;
	}
	pclose(nm);
	print_message("%u functions\n", checked);
	assert_true(checked > 10);
	kernel_core_done(&core);
}

static void assert_refused(struct kernel_core *core, const char *path,
			   const struct elf_build_id *id, int expected, const char *part)
{
	struct err err = { 0 };
	size_t before = core->table.list.count;

	assert_int_equal(vmlinux_use(core, path, id, &err), expected);
	assert_non_null(strstr(err.text, part));
	assert_non_null(strstr(err.text, path));
	assert_int_equal(core->table.list.count, before);
}

static void test_refused(void **state)
{
	struct kernel_core core = running(), hidden = { 0 };
	struct elf_build_id other = own_id, none = { 0 };

	(void)state;
	need_build_id();
	other.bytes[19] ^= 1;
	assert_refused(&core, "/proc/self/exe", &other, -EINVAL, "its build id differs");
	assert_refused(&core, "/proc/self/exe", &none, -EINVAL, "no build id");
	assert_refused(&hidden, "/proc/self/exe", &own_id, -EINVAL, "hidden");
	assert_refused(&core, "/nonexistent", &own_id, -ENOENT, "cannot open");
	assert_refused(&core, "/proc/self/cmdline", &own_id, -ENOEXEC, "ELF");
	kernel_core_done(&core);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equals_nm),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, read_own_id, NULL);
}
