/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dwarf/crafted.h"
#include "dwarf/dwarf_file.h"
#include "dwarf/dwarf_unit.h"

/* A first entry; a function with a name, a line and where it is; one without attributes. */
static const uint8_t abbreviations[] = {
	1,
	TAG_COMPILE_UNIT,
	1,
	0,
	0,
	2,
	TAG_SUBPROGRAM,
	0,
	AT_DECL_LINE,
	FORM_DATA2,
	AT_NAME,
	FORM_STRING,
	AT_LOW_PC,
	FORM_ADDR,
	0,
	0,
	3,
	TAG_INLINED_SUBROUTINE,
	0,
	0,
	0,
	0,
};

enum { ROOT = 1, FUNCTION, BARE, UNKNOWN = 99 };

struct made {
	struct crafted crafted;
	struct buf *info;
	struct dwarf_file *file;
	struct dwarf_unit *unit;
	struct buf told;
};

static void begin(struct made *made)
{
	*made = (struct made){ 0 };
	buf_add(crafted_section(&made->crafted, ".debug_abbrev"), abbreviations,
		sizeof(abbreviations));
	made->info = crafted_section(&made->crafted, ".debug_info");
	crafted_number(made->info, 0, 4); /* the length, later */
	crafted_number(made->info, 4, 2);
	crafted_number(made->info, 0, 4); /* abbreviations */
	crafted_number(made->info, 8, 1);
	crafted_number(made->info, ROOT, 1);
}

/* Returns where it is. */
static uint64_t function(struct made *made, uint16_t line, const char *name, uint64_t address)
{
	uint64_t offset = made->info->size;

	crafted_number(made->info, FUNCTION, 1);
	crafted_number(made->info, line, 2);
	crafted_string(made->info, name);
	crafted_number(made->info, address, 8);
	return offset;
}

static void open_made(struct made *made)
{
	uint32_t length = (uint32_t)made->info->size - 4;

	memcpy(made->info->bytes, &length, 4);
	assert_int_equal(dwarf_file_open(crafted_file(&made->crafted), NULL, &made->file, NULL), 0);
	assert_int_equal(made->file->units.count, 1);
	made->unit = made->file->units.items[0];
}

static void done(struct made *made)
{
	dwarf_file_free(made->file);
	crafted_done(&made->crafted);
	buf_done(&made->told);
}

static void take(void *context, uint16_t name, struct dwarf_value value)
{
	struct made *made = context;

	if (name == AT_NAME)
		buf_printf(&made->told, "name of %zu ",
			   strlen(dwarf_unit_string(made->unit, value)));
	else
		buf_printf(&made->told, "%s %lx ", name == AT_LOW_PC ? "at" : "line",
			   (unsigned long)value.number);
}

static void assert_entry(struct made *made, uint64_t offset, uint16_t tag, const char *told)
{
	buf_clear(&made->told);
	assert_int_equal(dwarf_unit_entry_at(made->unit, offset, take, made), tag);
	assert_string_equal(buf_text(&made->told), told);
}

static void entries_are_read_one_after_the_other(void **state)
{
	struct made made;
	struct reader reader;
	uint16_t tag;

	begin(&made);
	crafted_number(made.info, BARE, 1);
	function(&made, 0x12, "f", 0x1000);
	crafted_number(made.info, 0, 1);
	crafted_number(made.info, UNKNOWN, 1);
	open_made(&made);
	reader = dwarf_unit_entries(made.unit, made.unit->entries, UINT64_MAX);
	assert_true(dwarf_unit_read_entry(made.unit, &reader, take, &made, &tag));
	assert_int_equal(tag, TAG_COMPILE_UNIT);
	assert_true(dwarf_unit_read_entry(made.unit, &reader, take, &made, &tag));
	assert_int_equal(tag, TAG_INLINED_SUBROUTINE);
	assert_string_equal(buf_text(&made.told), "");
	assert_true(dwarf_unit_read_entry(made.unit, &reader, take, &made, &tag));
	assert_int_equal(tag, TAG_SUBPROGRAM);
	assert_string_equal(buf_text(&made.told), "line 12 name of 1 at 1000 ");
	assert_true(dwarf_unit_read_entry(made.unit, &reader, take, &made, &tag));
	assert_int_equal(tag, 0);
	assert_false(dwarf_unit_read_entry(made.unit, &reader, take, &made, &tag));
	assert_int_equal(tag, 0);
	assert_false(dwarf_unit_read_entry(made.unit, &reader, take, &made, &tag));
	assert_string_equal(buf_text(&made.told), "line 12 name of 1 at 1000 ");
	done(&made);
}

/* An entry longer than most is read again to its end; the first read reports no truncated name. */
static void long_entries_are_read_whole(void **state)
{
	struct made made;
	char name[5001] = "";
	uint64_t first, offset;

	memset(name, 'n', sizeof(name) - 1);
	begin(&made);
	first = function(&made, 1, "f", 0x1000);
	offset = function(&made, 2, name, 0x1100);
	function(&made, 3, "g", 0x1200);
	open_made(&made);
	assert_entry(&made, first, TAG_SUBPROGRAM, "line 1 name of 1 at 1000 ");
	assert_entry(&made, offset, TAG_SUBPROGRAM, "line 2 line 2 name of 5000 at 1100 ");
	done(&made);
}

static void what_is_no_entry_has_no_tag(void **state)
{
	struct made made;
	uint64_t end_of_row, unknown, cut;

	begin(&made);
	end_of_row = made.info->size;
	crafted_number(made.info, 0, 1);
	unknown = made.info->size;
	crafted_number(made.info, UNKNOWN, 1);
	cut = function(&made, 4, "cut", 0x1000);
	made.info->size -= 1;
	open_made(&made);
	assert_entry(&made, end_of_row, 0, "");
	assert_entry(&made, unknown, 0, "");
	assert_entry(&made, cut, 0, "line 4 name of 3 line 4 name of 3 ");
	assert_entry(&made, made.info->size, 0, "");
	assert_entry(&made, UINT64_MAX, 0, "");
	assert_entry(&made, 4, 0, ""); /* in the header */
	done(&made);
}

static struct dwarf_value number(uint64_t value)
{
	return (struct dwarf_value){ .class = CLASS_NUMBER, .number = value };
}

static void an_instance_says_more_than_a_declaration(void **state)
{
	struct dwarf_value origin = { .class = CLASS_NONE };

	dwarf_unit_take_origin(&origin, AT_NAME, number(1));
	assert_int_equal(origin.class, CLASS_NONE);
	dwarf_unit_take_origin(&origin, AT_SPECIFICATION, number(2));
	assert_int_equal(origin.number, 2);
	dwarf_unit_take_origin(&origin, AT_ABSTRACT_ORIGIN, number(3));
	assert_int_equal(origin.number, 3);
	dwarf_unit_take_origin(&origin, AT_SPECIFICATION, number(4));
	assert_int_equal(origin.number, 3);
}

static void an_extent_has_three_attributes(void **state)
{
	struct dwarf_extent extent = { .low_pc = { .class = CLASS_NONE } };

	assert_true(dwarf_unit_take_extent(&extent, AT_LOW_PC, number(1)));
	assert_true(dwarf_unit_take_extent(&extent, AT_HIGH_PC, number(2)));
	assert_true(dwarf_unit_take_extent(&extent, AT_RANGES, number(3)));
	assert_false(dwarf_unit_take_extent(&extent, AT_NAME, number(4)));
	assert_int_equal(extent.low_pc.number, 1);
	assert_int_equal(extent.high_pc.number, 2);
	assert_int_equal(extent.ranges.number, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_read_one_after_the_other),
		cmocka_unit_test(long_entries_are_read_whole),
		cmocka_unit_test(what_is_no_entry_has_no_tag),
		cmocka_unit_test(an_instance_says_more_than_a_declaration),
		cmocka_unit_test(an_extent_has_three_attributes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
