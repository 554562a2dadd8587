/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "dwarf/crafted.h"
#include "dwarf/dwarf_file.h"
#include "dwarf/unit_walk.h"

/* The abbreviations of all units below: code, tag, children, attributes with forms. */
static const uint8_t abbreviations[] = {
	1,
	TAG_COMPILE_UNIT,
	1,
	AT_NAME,
	FORM_STRING,
	AT_LOW_PC,
	FORM_ADDR,
	AT_HIGH_PC,
	FORM_DATA8,
	0,
	0,
	2,
	TAG_SUBPROGRAM,
	1,
	AT_NAME,
	FORM_STRING,
	AT_LOW_PC,
	FORM_ADDR,
	AT_HIGH_PC,
	FORM_DATA8,
	0,
	0,
	3,
	TAG_INLINED_SUBROUTINE,
	1,
	AT_ABSTRACT_ORIGIN,
	FORM_REF4,
	AT_LOW_PC,
	FORM_ADDR,
	AT_HIGH_PC,
	FORM_DATA8,
	AT_CALL_LINE,
	FORM_DATA1,
	0,
	0,
	4,
	TAG_SUBPROGRAM,
	0,
	AT_ABSTRACT_ORIGIN,
	FORM_REF4,
	0,
	0,
	5,
	TAG_SUBPROGRAM,
	0,
	AT_NAME,
	FORM_STRING,
	AT_LINKAGE_NAME,
	FORM_STRING,
	0,
	0,
	6,
	0x0b,
	1,
	0,
	0, /* a lexical block */
	0,
};

enum { UNIT, FUNCTION, INLINED, INSTANCE, ABSTRACT, BLOCK };

struct made {
	struct crafted crafted;
	struct buf *info;
};

static void code(struct made *made, int what)
{
	buf_add_uleb(made->info, (uint64_t)what + 1);
}

static void extent(struct made *made, uint64_t start, uint64_t size)
{
	crafted_number(made->info, start, 8);
	crafted_number(made->info, size, 8);
}

/* A header of version 4 and the first entry, which covers @start and what follows. */
static void begin_unit(struct made *made, uint64_t start, uint64_t size)
{
	*made = (struct made){ 0 };
	buf_add(crafted_section(&made->crafted, ".debug_abbrev"), abbreviations,
		sizeof(abbreviations));
	made->info = crafted_section(&made->crafted, ".debug_info");
	crafted_number(made->info, 0, 4); /* the length, later */
	crafted_number(made->info, 4, 2);
	crafted_number(made->info, 0, 4); /* abbreviations */
	crafted_number(made->info, 8, 1);
	code(made, UNIT);
	crafted_string(made->info, "unit.c");
	extent(made, start, size);
}

static void function(struct made *made, const char *name, uint64_t start, uint64_t size)
{
	code(made, FUNCTION);
	crafted_string(made->info, name);
	extent(made, start, size);
}

static void inlined(struct made *made, uint32_t origin, uint64_t start, uint64_t size, int line)
{
	code(made, INLINED);
	crafted_number(made->info, origin, 4);
	extent(made, start, size);
	crafted_number(made->info, (uint64_t)line, 1);
}

static void end(struct made *made)
{
	crafted_number(made->info, 0, 1);
}

static uint32_t abstract(struct made *made, const char *name, const char *linkage_name)
{
	uint32_t offset = (uint32_t)made->info->size;

	code(made, ABSTRACT);
	crafted_string(made->info, name);
	crafted_string(made->info, linkage_name);
	return offset;
}

static void end_unit(struct made *made)
{
	uint32_t length = (uint32_t)made->info->size - 4;

	memcpy(made->info->bytes, &length, 4);
}

struct walked {
	struct dwarf_file *file;
	struct line_unit *unit; /* of the first unit; NULL: none could be read */
	bool complete;
	struct line_place places[16];
};

static int walk_fd(int fd, struct walked *walked)
{
	int rc = dwarf_file_open(fd, NULL, &walked->file, NULL);

	walked->unit = NULL;
	if (rc < 0 || walked->file->units.count == 0)
		return rc;
	walked->unit = unit_walk(walked->file->units.items[0], &walked->complete);
	return 0;
}

static void walk(struct made *made, struct walked *walked)
{
	end_unit(made);
	assert_int_equal(walk_fd(crafted_file(&made->crafted), walked), 0);
	assert_non_null(walked->unit);
}

static void done(struct made *made, struct walked *walked)
{
	line_unit_free(walked->unit);
	dwarf_file_free(walked->file);
	crafted_done(&made->crafted);
}

static void assert_levels(struct walked *walked, uint64_t address, const char *levels)
{
	size_t count = line_unit_find(walked->unit, address, walked->places, 16);
	struct buf text = { 0 };

	for (size_t i = 0; i < count; i++)
		buf_printf(&text, "%s:%u ", walked->places[i].function, walked->places[i].line);
	assert_string_equal(buf_text(&text), levels);
	buf_done(&text);
}

/* f with g inlined in a block, and h in that. */
static void make_good(struct made *made)
{
	uint32_t g, h;

	begin_unit(made, 0x1000, 0x100);
	g = abstract(made, "g", "_Zg");
	h = abstract(made, "h", "");
	function(made, "f", 0x1000, 0x80);
	code(made, BLOCK);
	inlined(made, g, 0x1010, 0x30, 7);
	inlined(made, h, 0x1020, 0x10, 8);
	end(made); /* of h */
	end(made); /* of g */
	end(made); /* of the block */
	end(made); /* of f */
	function(made, "after", 0x1080, 0x80);
	end(made);
	end(made);
}

static void inlined_functions_nest(void **state)
{
	struct walked walked;
	struct made made;

	make_good(&made);
	walk(&made, &walked);
	assert_true(walked.complete);
	assert_levels(&walked, 0x1000, "f:0 ");
	assert_levels(&walked, 0x1010, "_Zg:0 f:7 ");
	assert_levels(&walked, 0x1020, "h:0 _Zg:8 f:7 ");
	assert_levels(&walked, 0x1030, "_Zg:0 f:7 ");
	assert_levels(&walked, 0x1040, "f:0 ");
	assert_levels(&walked, 0x1080, "after:0 ");
	assert_levels(&walked, 0x1100, "");
	done(&made, &walked);
}

static void the_map_leads_to_the_unit(void **state)
{
	struct interval_map map;
	struct walked walked;
	struct made made;

	make_good(&made);
	walk(&made, &walked);
	unit_walk_map(walked.file, &map);
	assert_int_equal(interval_map_find(&map, 0x1000), 0);
	assert_int_equal(interval_map_find(&map, 0x10ff), 0);
	assert_int_equal(interval_map_find(&map, 0x1100), INTERVAL_NONE);
	interval_map_done(&map);
	done(&made, &walked);
}

static void a_circle_of_origins_ends(void **state)
{
	struct walked walked;
	struct made made;
	uint32_t one, two;

	begin_unit(&made, 0x1000, 0x100);
	one = (uint32_t)made.info->size;
	two = one + 5;
	code(&made, INSTANCE);
	crafted_number(made.info, two, 4);
	code(&made, INSTANCE);
	crafted_number(made.info, one, 4);
	function(&made, "f", 0x1000, 0x80);
	inlined(&made, one, 0x1010, 0x10, 7);
	end(&made);
	inlined(&made, 0x10000, 0x1030, 0x10, 8); /* an origin beyond everything */
	end(&made);
	inlined(&made, 0, 0x1050, 0x10, 9); /* in the header */
	end(&made);
	end(&made);
	end(&made);
	walk(&made, &walked);
	assert_true(walked.complete);
	assert_levels(&walked, 0x1010, ":0 f:7 ");
	assert_levels(&walked, 0x1030, ":0 f:8 ");
	assert_levels(&walked, 0x1050, ":0 f:9 ");
	done(&made, &walked);
}

static void what_a_linker_left_out_covers_nothing(void **state)
{
	struct walked walked;
	struct made made;

	begin_unit(&made, 0x1000, 0x100);
	function(&made, "dropped", 0, 0x2000);
	end(&made);
	function(&made, "marked", UINT64_MAX, 0x2000);
	end(&made);
	function(&made, "f", 0x1000, 0x80);
	end(&made);
	end(&made);
	walk(&made, &walked);
	assert_levels(&walked, 0x1000, "f:0 ");
	assert_levels(&walked, 0x10, "");
	assert_levels(&walked, 0x1090, "");
	done(&made, &walked);
}

static void blocks_without_end_end(void **state)
{
	struct walked walked;
	struct made made;

	begin_unit(&made, 0x1000, 0x100);
	function(&made, "f", 0x1000, 0x80);
	for (int i = 0; i < 200000; i++)
		code(&made, BLOCK);
	walk(&made, &walked);
	assert_levels(&walked, 0x1000, "f:0 ");
	done(&made, &walked);
}

static void an_entry_of_no_kind_ends_the_walk(void **state)
{
	struct walked walked;
	struct made made;

	begin_unit(&made, 0x1000, 0x100);
	function(&made, "f", 0x1000, 0x80);
	buf_add_uleb(made.info, 99);
	walk(&made, &walked);
	assert_false(walked.complete);
	assert_levels(&walked, 0x1000, "f:0 ");
	done(&made, &walked);
}

/* One byte wrong at a time, in both sections: nothing but a wrong answer comes of it. */
static void damaged_sections_are_harmless(void **state)
{
	static const char *const names[] = { ".debug_info", ".debug_abbrev" };
	struct made made;

	make_good(&made);
	end_unit(&made);
	for (size_t name = 0; name < 2; name++) {
		struct buf *section = crafted_section(&made.crafted, names[name]);

		for (size_t at = 0; at < section->size; at++) {
			for (unsigned flip = 1; flip < 256; flip <<= 1) {
				struct walked walked = { 0 };

				section->bytes[at] ^= (char)flip;
				walk_fd(crafted_file(&made.crafted), &walked);
				if (walked.unit)
					line_unit_find(walked.unit, 0x1020, walked.places, 16);
				line_unit_free(walked.unit);
				dwarf_file_free(walked.file);
				section->bytes[at] ^= (char)flip;
			}
		}
	}
	crafted_done(&made.crafted);
}

static void cut_sections_are_harmless(void **state)
{
	struct made made;
	size_t size;

	make_good(&made);
	end_unit(&made);
	size = made.info->size;
	for (size_t cut = 1; cut < size; cut++) {
		struct walked walked = { 0 };
		uint32_t length = (uint32_t)cut - 4;

		made.info->size = cut;
		if (cut >= 4)
			memcpy(made.info->bytes, &length, 4);
		walk_fd(crafted_file(&made.crafted), &walked);
		if (walked.unit)
			line_unit_find(walked.unit, 0x1020, walked.places, 16);
		line_unit_free(walked.unit);
		dwarf_file_free(walked.file);
	}
	made.info->size = size;
	crafted_done(&made.crafted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inlined_functions_nest),
		cmocka_unit_test(the_map_leads_to_the_unit),
		cmocka_unit_test(a_circle_of_origins_ends),
		cmocka_unit_test(what_a_linker_left_out_covers_nothing),
		cmocka_unit_test(blocks_without_end_end),
		cmocka_unit_test(an_entry_of_no_kind_ends_the_walk),
		cmocka_unit_test(damaged_sections_are_harmless),
		cmocka_unit_test(cut_sections_are_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
