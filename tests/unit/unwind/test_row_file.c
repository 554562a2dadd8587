/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that was damaged, by accident or with a right checksum, is refused or leads nowhere. */
#include "unwind/row_file.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/xalloc.h"

static struct row_table *make(void)
{
	static const struct unwind_rule rules[] = {
		{ .cfa = UNWIND_CFA_SP, .cfa_offset = 8, .ra = UNWIND_SAVED_CFA, .ra_offset = -8 },
		{ .cfa = UNWIND_CFA_FP, .cfa_offset = 16, .ra = UNWIND_SAVED_CFA, .ra_offset = -8 },
	};
	struct row_builder builder;
	struct row_table *table;

	row_builder_init(&builder, 0x5000);
	for (uint64_t i = 0; i < 20; i++)
		row_builder_add(&builder, 0x5010 + i * 700, &rules[i % 2]);
	row_builder_end(&builder, 0x9000);
	row_builder_finish(&builder);
	table = row_file_make(&builder, EM_X86_64, 3);
	row_builder_done(&builder);
	return table;
}

/* Each byte's rule, as far as a page beyond. */
static uint64_t search(const struct unwind_table *rows)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < ((uint64_t)rows->page_count + 1) << UNWIND_PAGE_BITS; i += 4) {
		const struct unwind_rule *rule = row_table_find(rows, rows->base + i);

		if (rule) {
			assert_true(rule >= rows->rules && rule < rows->rules + rows->rule_count);
			sum = sum * 31 + (uint64_t)(rule - rows->rules);
		}
	}
	return sum;
}

static void test_round_trip(void **state)
{
	struct row_table *table = make(), *read;
	size_t size;
	const void *bytes = row_file_bytes(table, &size);

	(void)state;
	assert_int_equal(row_file_read(bytes, size, &read, NULL), 0);
	assert_int_equal(row_table_unreadable(read), 3);
	assert_int_equal(row_table_rows(read)->base, 0x5000);
	assert_int_equal(row_table_rows(read)->machine, EM_X86_64);
	assert_int_equal(search(row_table_rows(read)), search(row_table_rows(table)));
	row_table_free(read);
	row_table_free(table);
}

static void test_accidents(void **state)
{
	struct row_table *table = make(), *read;
	size_t size;
	const void *bytes = row_file_bytes(table, &size);
	uint8_t *copy = xmemdup(bytes, size);

	(void)state;
	for (size_t i = 0; i < size; i++) {
		copy[i] ^= (uint8_t)(1U << i % 8);
		assert_int_equal(row_file_read(copy, size, &read, NULL), -EBADMSG);
		copy[i] ^= (uint8_t)(1U << i % 8);
	}
	for (size_t cut = 0; cut < size; cut++)
		assert_int_equal(row_file_read(copy, cut, &read, NULL), -EBADMSG);
	free(copy);
	row_table_free(table);
}

/* The checksum is right; what is read can be searched all the same. */
static void test_intent(void **state)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	struct row_table *table = make(), *read;
	size_t size, refused = 0;
	const void *bytes = row_file_bytes(table, &size);
	uint8_t *copy = xmalloc(size);

	(void)state;
	for (size_t i = 0; i < size * sizeof(values); i++) {
		memcpy(copy, bytes, size);
		copy[i / sizeof(values)] = values[i % sizeof(values)];
		row_file_seal(copy, size);
		if (row_file_read(copy, size, &read, NULL) < 0) {
			refused++;
			continue;
		}
		search(row_table_rows(read));
		row_table_free(read);
	}
	assert_true(refused > size);
	free(copy);
	row_table_free(table);
}

static void test_map(void **state)
{
	struct row_table *table = make(), *mapped;
	int fd = memfd_create("rows", MFD_CLOEXEC);
	size_t size;
	const void *bytes = row_file_bytes(table, &size);

	(void)state;
	assert_int_equal(write(fd, bytes, size), size);
	assert_int_equal(row_file_map(fd, size, &mapped, NULL), 0);
	close(fd);
	assert_int_equal(search(row_table_rows(mapped)), search(row_table_rows(table)));
	row_table_free(mapped);
	row_table_free(table);
	assert_int_equal(row_file_map(-1, size, &mapped, NULL), -EBADF);
	assert_int_equal(row_file_map(-1, 0, &mapped, NULL), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_accidents),
		cmocka_unit_test(test_intent),
		cmocka_unit_test(test_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
