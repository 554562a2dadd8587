/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dwarf/crafted.h"
#include "dwarf/dwarf_file.h"
#include "dwarf/dwarf_ranges.h"

enum { ADDR_HEADER = 8, LIST_HEADER = 12 };

struct made {
	struct crafted crafted;
	struct dwarf_file *file;
	struct buf told;
};

/* A file with one unit of the version, and whatever else is in @made->crafted. */
static struct dwarf_unit *open_unit(struct made *made, uint16_t version)
{
	static const uint8_t abbreviations[] = { 1, TAG_COMPILE_UNIT, 0, 0, 0, 0 };
	struct buf *info = crafted_section(&made->crafted, ".debug_info");
	struct dwarf_unit *unit;

	buf_add(crafted_section(&made->crafted, ".debug_abbrev"), abbreviations,
		sizeof(abbreviations));
	crafted_number(info, version == 5 ? 9 : 8, 4);
	crafted_number(info, version, 2);
	if (version == 5)
		crafted_number(info, UNIT_COMPILE | 8 << 8, 2);
	crafted_number(info, 0, 4);
	crafted_number(info, version == 5 ? 1 : 8 | 1 << 8, version == 5 ? 1 : 2);
	assert_int_equal(dwarf_file_open(crafted_file(&made->crafted), NULL, &made->file, NULL), 0);
	assert_int_equal(made->file->units.count, 1);
	unit = made->file->units.items[0];
	assert_true(dwarf_unit_root(unit));
	unit->low_pc = 0x1000;
	unit->addr_base = ADDR_HEADER;
	unit->rnglists_base = LIST_HEADER;
	return unit;
}

static void done(struct made *made)
{
	dwarf_file_free(made->file);
	crafted_done(&made->crafted);
	buf_done(&made->told);
}

static bool take(void *context, uint64_t start, uint64_t end)
{
	struct made *made = context;

	buf_printf(&made->told, "%lx-%lx ", (unsigned long)start, (unsigned long)end);
	return true;
}

static const char *told(struct made *made, const struct dwarf_unit *unit,
			struct dwarf_extent extent)
{
	buf_clear(&made->told);
	dwarf_ranges_each(unit, &extent, take, made);
	return buf_text(&made->told);
}

static struct dwarf_value number(uint64_t value)
{
	return (struct dwarf_value){ .class = CLASS_NUMBER, .number = value };
}

static struct dwarf_value address(uint64_t value)
{
	return (struct dwarf_value){ .class = CLASS_ADDRESS, .number = value };
}

static void an_end_is_an_address_or_a_size(void **state)
{
	struct made made = { 0 };
	struct dwarf_unit *unit = open_unit(&made, 4);

	assert_string_equal(
		told(&made, unit,
		     (struct dwarf_extent){ .low_pc = address(0x10), .high_pc = address(0x20) }),
		"10-20 ");
	assert_string_equal(
		told(&made, unit,
		     (struct dwarf_extent){ .low_pc = address(0x10), .high_pc = number(0x20) }),
		"10-30 ");
	assert_string_equal(told(&made, unit, (struct dwarf_extent){ .low_pc = address(0x10) }),
			    "");
	assert_string_equal(
		told(&made, unit,
		     (struct dwarf_extent){ .low_pc = address(0x10), .high_pc = address(0x10) }),
		"");
	done(&made);
}

static void old_lists_have_bases(void **state)
{
	static const uint64_t list[] = { 1, 2, UINT64_MAX, 0x5000, 3, 4, 7, 7, 0, 0, 8, 9 };
	struct made made = { 0 };
	struct dwarf_unit *unit;

	buf_add(crafted_section(&made.crafted, ".debug_ranges"), list, sizeof(list));
	unit = open_unit(&made, 4);
	assert_string_equal(told(&made, unit, (struct dwarf_extent){ .ranges = number(0) }),
			    "1001-1002 5003-5004 ");
	assert_string_equal(told(&made, unit, (struct dwarf_extent){ .ranges = number(16) }),
			    "5003-5004 ");
	assert_string_equal(told(&made, unit, (struct dwarf_extent){ .ranges = number(4000) }), "");
	done(&made);
}

static void every_entry_of_new_lists_is_understood(void **state)
{
	static const uint64_t addresses[] = { 0x2000, 0x3000, 0x3010 };
	struct made made = { 0 };
	struct buf *lists = crafted_section(&made.crafted, ".debug_rnglists");
	struct buf *table = crafted_section(&made.crafted, ".debug_addr");
	struct dwarf_unit *unit;

	crafted_number(table, 0, ADDR_HEADER);
	buf_add(table, addresses, sizeof(addresses));
	crafted_number(lists, 0, 8);
	crafted_number(lists, 0, LIST_HEADER - 8);
	crafted_number(lists, 8, 4);	    /* list 0 begins after this table */
	crafted_number(lists, 0x100000, 4); /* list 1 nowhere */
	buf_add(lists, "\4\1\2", 3);	    /* offset pair */
	buf_add(lists, "\1\0\4\3\4", 5);    /* base by index, offset pair */
	buf_add(lists, "\2\1\2", 3);	    /* start and end by index */
	buf_add(lists, "\3\1\5", 3);	    /* start by index, length */
	buf_add_char(lists, RLE_BASE_ADDRESS);
	crafted_number(lists, 0x7000, 8);
	buf_add(lists, "\4\1\2", 3);
	buf_add_char(lists, RLE_START_END);
	crafted_number(lists, 0x8000, 8);
	crafted_number(lists, 0x8001, 8);
	buf_add_char(lists, RLE_START_LENGTH);
	crafted_number(lists, 0x9000, 8);
	buf_add(lists, "\6\0\4\1\2", 5); /* length, end, and what is not seen */
	unit = open_unit(&made, 5);
	assert_string_equal(
		told(&made, unit,
		     (struct dwarf_extent){ .ranges = { .class = CLASS_RANGES_INDEX } }),
		"1001-1002 2003-2004 3000-3010 3000-3005 7001-7002 8000-8001 9000-9006 ");
	assert_string_equal(
		told(&made, unit, (struct dwarf_extent){ .ranges = number(LIST_HEADER + 8) }),
		"1001-1002 2003-2004 3000-3010 3000-3005 7001-7002 8000-8001 9000-9006 ");
	assert_string_equal(told(&made, unit,
				 (struct dwarf_extent){
					 .ranges = { .class = CLASS_RANGES_INDEX, .number = 1 } }),
			    "");
	assert_string_equal(told(&made, unit,
				 (struct dwarf_extent){ .ranges = { .class = CLASS_RANGES_INDEX,
								    .number = UINT64_MAX } }),
			    "");
	done(&made);
}

static void an_address_that_is_not_there_ends_the_list(void **state)
{
	struct made made = { 0 };
	struct buf *lists = crafted_section(&made.crafted, ".debug_rnglists");
	struct dwarf_unit *unit;

	buf_add(lists, "\4\1\2\3\1\5\4\1\2\0", 10);
	unit = open_unit(&made, 5);
	assert_string_equal(told(&made, unit, (struct dwarf_extent){ .ranges = number(0) }),
			    "1001-1002 ");
	done(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_end_is_an_address_or_a_size),
		cmocka_unit_test(old_lists_have_bases),
		cmocka_unit_test(every_entry_of_new_lists_is_understood),
		cmocka_unit_test(an_address_that_is_not_there_ends_the_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
