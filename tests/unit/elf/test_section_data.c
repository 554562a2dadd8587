/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "elf/section_data.h"
#include "elf/sections.h"

enum { ZLIB = 1, LARGE = 100000 };

struct opened {
	int fd;
	struct elf_file *file;
	struct section_data *data;
};

static int open_section(struct opened *opened, const char *name, uint64_t flags, const void *bytes,
			size_t size)
{
	*opened = (struct opened){ .fd = sections_file(name, flags, bytes, size) };
	assert_int_equal(elf_file_open(opened->fd, &opened->file, NULL), 0);
	assert_int_equal(elf_file_read_sections(opened->file, NULL), 0);
	return section_data_open(opened->file, elf_file_section(opened->file, 1), &opened->data,
				 NULL);
}

static void done(struct opened *opened)
{
	section_data_free(opened->data);
	elf_file_free(opened->file);
	close(opened->fd);
}

/* "plain" as RFC 1950 and RFC 1951 have it without compression. */
static const uint8_t packed[] = { 0x78, 0x01, 0x01, 5,	 0,    0xfa, 0xff, 'p',
				  'l',	'a',  'i',  'n', 0x06, 0x48, 0x02, 0x15 };

static struct buf compressed(uint32_t type, uint64_t plain_size, size_t packed_size)
{
	const Elf64_Chdr header = { .ch_type = type, .ch_size = plain_size, .ch_addralign = 1 };
	struct buf buf = { 0 };

	buf_add(&buf, &header, sizeof(header));
	buf_add(&buf, packed, packed_size);
	return buf;
}

static int open_compressed(struct opened *opened, uint32_t type, uint64_t plain_size,
			   size_t packed_size)
{
	struct buf buf = compressed(type, plain_size, packed_size);
	int rc = open_section(opened, ".debug_info", SHF_COMPRESSED, buf.bytes, buf.size);

	buf_done(&buf);
	return rc;
}

static void plain_bytes_are_read_where_they_are_asked_for(void **state)
{
	uint8_t *bytes = malloc(LARGE);
	const uint8_t *some;
	struct opened opened;
	size_t held;

	for (size_t i = 0; i < LARGE; i++)
		bytes[i] = (uint8_t)(i / 7);
	assert_int_equal(open_section(&opened, ".debug_info", 0, bytes, LARGE), 0);
	assert_int_equal(section_data_size(opened.data), LARGE);
	some = section_data_bytes(opened.data, LARGE - 10, 10);
	assert_memory_equal(some, bytes + LARGE - 10, 10);
	held = section_data_held(opened.data);
	assert_true(held > 0 && held < LARGE);
	assert_memory_equal(section_data_bytes(opened.data, 0, LARGE), bytes, LARGE);
	section_data_forget(opened.data);
	assert_int_equal(section_data_held(opened.data), 0);
	assert_memory_equal(section_data_bytes(opened.data, 20000, 50000), bytes + 20000, 50000);
	assert_non_null(section_data_bytes(opened.data, LARGE, 0));
	assert_null(section_data_bytes(opened.data, LARGE, 1));
	assert_null(section_data_bytes(opened.data, 1, LARGE));
	assert_null(section_data_bytes(opened.data, UINT64_MAX, 2));
	assert_null(section_data_bytes(NULL, 0, 0));
	assert_true(section_data_reader(opened.data, 5, LARGE).bad);
	assert_int_equal(reader_left(&(struct reader){ 0 }), 0);
	done(&opened);
	free(bytes);
}

static void strings_end_within_the_section(void **state)
{
	enum { LONG = 40000 };
	char *text = malloc(LONG + 10);
	struct opened opened;

	memset(text, 'x', LONG);
	memcpy(text, "first\0second\0", 13);
	text[LONG] = '\0';
	memcpy(text + LONG + 1, "no end", 6);
	assert_int_equal(open_section(&opened, ".debug_str", 0, text, LONG + 7), 0);
	assert_string_equal(section_data_string(opened.data, 0), "first");
	assert_string_equal(section_data_string(opened.data, 6), "second");
	assert_int_equal(strlen(section_data_string(opened.data, 13)), LONG - 13);
	assert_string_equal(section_data_string(opened.data, LONG + 1), "");
	assert_string_equal(section_data_string(opened.data, LONG + 7), "");
	assert_string_equal(section_data_string(opened.data, UINT64_MAX), "");
	assert_string_equal(section_data_string(NULL, 0), "");
	done(&opened);
	free(text);
}

static void compressed_bytes_are_made_plain(void **state)
{
	struct opened opened;

	assert_int_equal(open_compressed(&opened, ZLIB, 5, sizeof(packed)), 0);
	assert_int_equal(section_data_size(opened.data), 5);
	assert_memory_equal(section_data_bytes(opened.data, 0, 5), "plain", 5);
	section_data_forget(opened.data); /* there is no way to read them again */
	assert_memory_equal(section_data_bytes(opened.data, 0, 5), "plain", 5);
	done(&opened);
}

static void the_older_way_is_understood(void **state)
{
	struct buf buf = { 0 };
	struct opened opened;

	buf_add(&buf, "ZLIB\0\0\0\0\0\0\0\5", 12);
	buf_add(&buf, packed, sizeof(packed));
	assert_int_equal(open_section(&opened, ".zdebug_info", 0, buf.bytes, buf.size), 0);
	assert_memory_equal(section_data_bytes(opened.data, 0, 5), "plain", 5);
	done(&opened);
	buf.bytes[0] = 'X';
	assert_int_equal(open_section(&opened, ".zdebug_info", 0, buf.bytes, buf.size), -ENOTSUP);
	done(&opened);
	assert_int_equal(open_section(&opened, ".zdebug_info", 0, buf.bytes, 11), -EINVAL);
	done(&opened);
	buf_done(&buf);
}

static void what_is_damaged_is_refused(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t plain_size;
		size_t packed_size;
		int error;
	} wrong[] = {
		{ ZLIB, 4, sizeof(packed), -EFBIG },
		{ ZLIB, 6, sizeof(packed), -EBADMSG },
		{ ZLIB, 5, sizeof(packed) - 1, -EBADMSG },
		{ ZLIB, 5, 0, -EBADMSG },
		{ 99, 5, sizeof(packed), -ENOTSUP },
		{ ZLIB, UINT64_MAX, sizeof(packed), -EFBIG },
		{ ZLIB, 1ULL << 31, sizeof(packed), -EFBIG }, /* nothing packs that well */
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct opened opened;

		assert_int_equal(open_compressed(&opened, wrong[i].type, wrong[i].plain_size,
						 wrong[i].packed_size),
				 wrong[i].error);
		done(&opened);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_bytes_are_read_where_they_are_asked_for),
		cmocka_unit_test(strings_end_within_the_section),
		cmocka_unit_test(compressed_bytes_are_made_plain),
		cmocka_unit_test(the_older_way_is_understood),
		cmocka_unit_test(what_is_damaged_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
