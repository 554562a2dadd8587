/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/kernel_modules.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ID "0123456789abcdefghij"

static int read_text(const char *text, struct kernel_modules *modules)
{
	char path[] = "/tmp/test_modules_XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	int rc;

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	rc = kernel_modules_read(path, modules);
	unlink(path);
	return rc;
}

static void test_list(void **state)
{
	struct kernel_modules modules = { 0 };

	(void)state;
	assert_int_equal(
		read_text("xt_tcp 16384 0 - Live 0xffffffffc0a3d000 (OE)\n"
			  "nf_tables 376832 2 nft_compat,nft_log, Live 0xffffffffc0800000\n"
			  "hidden 4096 0 - Live 0x0000000000000000\n"
			  "not a module\n\n"
			  "last 1 0 - Unloading 0xffffffffc0a00000",
			  &modules),
		0);
	assert_int_equal(modules.list.count, 3);
	assert_string_equal(modules.list.items[0].name, "nf_tables");
	assert_int_equal(modules.list.items[0].base, 0xffffffffc0800000);
	assert_int_equal(modules.list.items[0].size, 376832);
	assert_string_equal(modules.list.items[1].name, "last");
	assert_string_equal(modules.list.items[2].name, "xt_tcp");
	kernel_modules_done(&modules);
}

static void test_no_list(void **state)
{
	struct kernel_modules modules = { 0 };

	(void)state;
	assert_int_equal(read_text("", &modules), 0);
	assert_int_equal(modules.list.count, 0);
	assert_int_equal(kernel_modules_read("/nonexistent/modules", &modules), 0);
	assert_int_equal(modules.list.count, 0);
	assert_int_equal(kernel_modules_read("/", &modules), -EISDIR);
}

static void test_notes(void **state)
{
	/* A note of another owner, an empty one, then the build id, as in this kernel's notes. */
	static const char notes[] = "\x06\0\0\0\4\0\0\0\1\1\0\0Linux\0\0\0abcd"
				    "\4\0\0\0\0\0\0\0\3\0\0\0GNU\0"
				    "\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0" ID;
	struct elf_build_id id;

	(void)state;
	kernel_modules_parse_notes(notes, sizeof(notes) - 1, &id);
	assert_int_equal(id.size, 20);
	assert_memory_equal(id.bytes, ID, 20);
	for (size_t size = 0; size < sizeof(notes) - 1; size++) {
		char *exact = malloc(size + 1); /* address sanitizer watches its end */

		memcpy(exact, notes, size);
		kernel_modules_parse_notes(exact, size, &id);
		assert_int_equal(id.size, 0);
		free(exact);
	}
	kernel_modules_parse_notes("\4\0\0\0\x15\0\0\0\3\0\0\0GNU\0" ID "12345678", 44, &id);
	assert_int_equal(id.size, 0);
	kernel_modules_parse_notes("\4\0\0\0\xff\xff\xff\xff\3\0\0\0GNU\0", 16, &id);
	assert_int_equal(id.size, 0);
}

/* The oracle is readelf, shown the notes as a section of an object file. */
static void test_this_kernel(void **state)
{
	struct elf_build_id id;
	char expected[64] = "", got[64] = "";
	FILE *pipe;

	(void)state;
	kernel_modules_build_id("/sys", NULL, &id);
	pipe = popen("d=$(mktemp -d) && cd $d && cat /sys/kernel/notes > n && "
		     "printf '.section .note.k,\"a\",%%note\\n.incbin \"n\"\\n' | as -o k.o && "
		     "readelf -n k.o | sed -n 's/.*Build ID: //p'; rm -r $d",
		     "r");
	assert_non_null(pipe);
	if (fscanf(pipe, "%63s", expected) != 1) {
		pclose(pipe);
		print_message("as and readelf show no build id of this kernel\n");
		skip();
	}
	pclose(pipe);
	for (size_t i = 0; i < id.size; i++)
		snprintf(got + 2 * i, sizeof(got) - 2 * i, "%02x", id.bytes[i]);
	assert_string_equal(got, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_no_list),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_this_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
