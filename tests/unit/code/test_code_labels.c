/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels of a file whose symbols are chosen for it; the listing as a whole is test_disassembler's.
 */
#include "code/code_labels.h"

#include <fcntl.h>

#include "elf/elf_file.h"
#include "tools.h"

static const char source[] = ".text\n.globl first\n.type first,%function\nfirst:\n.Lx: nop\nnop\n"
			     ".size first,2\nlocal: nop\n.globl both\n.type both,%function\n"
			     "both:\n_alias: ret\n.type table,%object\ntable: .long 1,2\n"
			     ".size table,8\nbehind: nop\n.section .other,\"ax\"\nfar: nop\nnop\n";

struct labelled {
	int fd;
	struct elf_file *file;
	struct code_labels *labels;
	struct code_section place; /* of .text */
};

static struct labelled open_file(const char *folder, const char *flags)
{
	const struct elf_section *text;
	struct labelled labelled;
	char path[TOOLS_PATH];

	tools_build(folder, "labels", "assembler", flags, source, path);
	labelled.fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(labelled.fd, &labelled.file, NULL), 0);
	assert_int_equal(elf_file_read_sections(labelled.file, NULL), 0);
	text = elf_file_find(labelled.file, ".text");
	labelled.place =
		(struct code_section){ .section =
					       (size_t)(text - elf_file_section(labelled.file, 0)),
				       .start = text->address,
				       .stop = text->address + text->size };
	labelled.labels = code_labels_new(labelled.file);
	return labelled;
}

static void close_file(struct labelled *labelled)
{
	code_labels_free(labelled->labels);
	elf_file_free(labelled->file);
	close(labelled->fd);
}

static struct code_region region_at(const struct labelled *labelled, uint64_t offset)
{
	struct code_region region = code_labels_region(labelled->labels, &labelled->place,
						       labelled->place.start + offset);

	region.start -= labelled->place.start;
	region.stop -= labelled->place.start;
	return region;
}

static void test_regions(void **state)
{
	/* first, local, both and _alias, table, behind */
	static const uint64_t starts[] = { 0, 2, 3, 4, 12, 13 };
	struct labelled labelled = open_file(*state, "-nostdlib -shared");

	for (uint64_t offset = 0; offset < 13; offset++) {
		struct code_region region = region_at(&labelled, offset);
		size_t i = 0;

		while (starts[i + 1] <= offset)
			i++;
		assert_int_equal(region.start, starts[i]);
		assert_int_equal(region.stop, starts[i + 1]);
		assert_int_equal(region.data, i == 3);
	}
	close_file(&labelled);
}

static void check_print(const struct labelled *labelled, uint64_t offset, const char *label)
{
	uint64_t address = labelled->place.start + offset;
	struct buf text = { 0 };
	char expected[256];

	code_labels_print(labelled->labels, &labelled->place, address, &text);
	snprintf(expected, sizeof(expected), "%lx <%s>", address, label);
	assert_string_equal(buf_text(&text), expected);
	buf_done(&text);
}

static void test_print(void **state)
{
	struct labelled labelled = open_file(*state, "-nostdlib -shared");

	check_print(&labelled, 0, "first");
	check_print(&labelled, 1, "first+0x1");
	check_print(&labelled, 3, "both"); /* a function before a label without a type */
	check_print(&labelled, 6, "table+0x2");
	check_print(&labelled, -1UL, "first-0x1");
	close_file(&labelled);
	/* nothing but dynamic symbols, which have no versions here */
	labelled = open_file(*state, "-nostdlib -shared -s");
	check_print(&labelled, 2, "first+0x2");
	close_file(&labelled);
}

static void test_no_labels(void **state)
{
	struct labelled labelled = open_file(*state, "-nostdlib -static -s -Wl,-e,0");
	struct buf text = { 0 };

	code_labels_print(labelled.labels, &labelled.place, 0x1234, &text);
	assert_string_equal(buf_text(&text), "0x1234");
	assert_int_equal(region_at(&labelled, 5).start, 0);
	assert_int_equal(region_at(&labelled, 5).stop, 13);
	assert_false(code_labels_literal(labelled.labels, &labelled.place, labelled.place.start,
					 &(uint32_t){ 0 }));
	buf_done(&text);
	close_file(&labelled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_regions, tools_set_up, tools_tear_down),
		cmocka_unit_test_setup_teardown(test_print, tools_set_up, tools_tear_down),
		cmocka_unit_test_setup_teardown(test_no_labels, tools_set_up, tools_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
