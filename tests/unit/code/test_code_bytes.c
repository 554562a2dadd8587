/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of sections against objcopy. */
#include "code/code_bytes.h"

#include <errno.h>
#include <fcntl.h>

#include "elf/elf_file.h"
#include "tools.h"

struct opened {
	int fd;
	struct elf_file *file;
	const struct elf_section *text;
};

static struct opened open_file(const char *path)
{
	struct opened opened = { .fd = open(path, O_RDONLY | O_CLOEXEC) };

	assert_int_equal(elf_file_open(opened.fd, &opened.file, NULL), 0);
	assert_int_equal(elf_file_read_sections(opened.file, NULL), 0);
	opened.text = elf_file_find(opened.file, ".text");
	assert_non_null(opened.text);
	return opened;
}

static void close_file(struct opened *opened)
{
	elf_file_free(opened->file);
	close(opened->fd);
}

static void test_bytes(void **state)
{
	struct opened opened = open_file("/bin/sh");
	struct buf out = { 0 };
	uint64_t start = opened.text->address + 100, stop = start + 1000;
	struct code_place place;
	uint8_t *bytes;

	(void)state;
	assert_int_equal(tools_run(&out,
				   "objcopy -O binary -j .text /bin/sh '%s/text' && cat '%s/text'",
				   (char *)*state, (char *)*state),
			 0);
	assert_int_equal(out.size, opened.text->size);
	assert_int_equal(code_bytes_place(opened.file, start, &place, NULL), 0);
	assert_int_equal(place.start, opened.text->address);
	assert_int_equal(place.stop, opened.text->address + opened.text->size);
	assert_int_equal(code_bytes_read(opened.file, &place, start, stop, &bytes, NULL), 0);
	assert_memory_equal(bytes, out.bytes + 100, 1000);
	free(bytes);
	/* up to the last byte, and not one more */
	assert_int_equal(
		code_bytes_read(opened.file, &place, place.stop - 1, place.stop, &bytes, NULL), 0);
	assert_int_equal(bytes[0], (uint8_t)out.bytes[out.size - 1]);
	free(bytes);
	assert_int_equal(
		code_bytes_read(opened.file, &place, place.stop - 1, place.stop + 1, &bytes, NULL),
		-EINVAL);
	assert_int_equal(code_bytes_read(opened.file, &place, start, start, &bytes, NULL), -EINVAL);
	buf_done(&out);
	close_file(&opened);
}

static void test_places(void **state)
{
	struct opened opened = open_file("/bin/sh");
	const struct elf_section *data = elf_file_find(opened.file, ".rodata");
	struct code_place place;

	(void)state;
	assert_int_equal(code_bytes_place(opened.file, 0, &place, NULL), -ENODATA);
	assert_int_equal(code_bytes_place(opened.file, data->address, &place, NULL), -ENODATA);
	assert_int_equal(code_bytes_place(opened.file, UINT64_MAX, &place, NULL), -ENODATA);
	close_file(&opened);
}

static void test_limit(void **state)
{
	char path[TOOLS_PATH];
	struct code_place place;
	struct opened opened;
	uint8_t *bytes;
	struct err err = { "" };

	tools_build(*state, "large", "assembler", "-nostdlib -shared",
		    ".text\n.fill 70000000,1,0x90\n", path);
	opened = open_file(path);
	assert_int_equal(code_bytes_place(opened.file, opened.text->address, &place, NULL), 0);
	assert_int_equal(
		code_bytes_read(opened.file, &place, place.start, place.stop, &bytes, &err),
		-EFBIG);
	assert_true(err.text[0] != '\0');
	close_file(&opened);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_bytes, tools_set_up, tools_tear_down),
		cmocka_unit_test(test_places),
		cmocka_unit_test_setup_teardown(test_limit, tools_set_up, tools_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
