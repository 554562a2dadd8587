/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/vdso.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/auxv.h>

#include "elf/elf_file.h"
#include "names/symtab.h"
#include "tools.h"

/* The functions of the vdso, by nm over its bytes, have their names. */
static void test_names(void **state)
{
	struct buf out = { 0 }, name = { 0 };
	struct symtab *symtab;
	struct elf_file *file;
	char path[TOOLS_PATH];
	uint8_t *bytes;
	size_t size, count = 0;
	char *text, *line;

	if (!getauxval(AT_SYSINFO_EHDR)) {
		print_message("this machine has no vdso\n");
		skip();
	}
	assert_int_equal(vdso_copy(&bytes, &size, NULL), 0);
	snprintf(path, sizeof(path), "%s/vdso", (char *)*state);
	tools_write(path, bytes, size);
	assert_int_equal(elf_file_open_memory(bytes, size, &file, NULL), 0);
	assert_int_equal(symtab_new(file, NULL, &symtab, NULL), 0);
	assert_int_equal(tools_run(&out, "nm -D --defined-only '%s' | grep ' [TW] '", path), 0);
	text = out.bytes;
	while ((line = tools_line(&text))) {
		struct symtab_hit hit;
		uint64_t address;
		char wanted[256];

		if (sscanf(line, "%" SCNx64 " %*c %255[^@]", &address, wanted) != 2 ||
		    strncmp(wanted, "__vdso", 6) != 0)
			continue;
		symtab_lookup(symtab, NULL, address, &name, &hit);
		assert_int_equal(hit.kind, SYMBOL_NAMED);
		assert_int_equal(hit.start, address);
		assert_non_null(strstr(wanted, buf_text(&name)));
		count++;
	}
	assert_true(count >= 3);
	symtab_free(symtab);
	elf_file_free(file);
	free(bytes);
	buf_done(&out);
	buf_done(&name);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_names) };

	return cmocka_run_group_tests(tests, tools_set_up, tools_tear_down);
}
