/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "dwarf/line_unit.h"

#define NOTHING UINT32_MAX

static str_id text(struct line_unit_builder *builder, const char *name)
{
	return strpool_intern(&builder->texts, name);
}

static void row(struct line_unit_builder *builder, uint64_t address, const char *file,
		uint32_t line)
{
	const struct line_unit_built_row built = { .address = address,
						   .file = text(builder, file),
						   .line = line,
						   .end = line == NOTHING };

	assert_true(line_unit_add_row(builder, &built));
}

static uint32_t node(struct line_unit_builder *builder, const char *name, uint32_t parent,
		     const char *call_file, uint32_t call_line)
{
	return line_unit_add_node(builder,
				  &(struct line_unit_node){ .parent = parent,
							    .name = text(builder, name),
							    .declared = call_line + 100,
							    .call_file = text(builder, call_file),
							    .call_line = call_line });
}

/* f [1000, 1100) with g inlined [1010, 1040) and h in that [1020, 1030). */
static struct line_unit *make_unit(void)
{
	struct line_unit_builder builder;
	struct line_unit *unit;
	uint32_t f, g, h;

	line_unit_builder_init(&builder);
	row(&builder, 1000, "f.c", 1);
	row(&builder, 1010, "g.h", 2);
	row(&builder, 1020, "h.h", 3);
	row(&builder, 1030, "f.c", 4);
	row(&builder, 1100, "", NOTHING);
	f = node(&builder, "f", NOTHING, "", 0);
	g = node(&builder, "g", f, "f.c", 11);
	h = node(&builder, "h", g, "g.h", 12);
	line_unit_add_range(&builder, f, 1000, 1100);
	line_unit_add_range(&builder, g, 1010, 1040);
	line_unit_add_range(&builder, h, 1020, 1030);
	unit = line_unit_finish(&builder);
	line_unit_builder_done(&builder);
	return unit;
}

static void assert_place(const struct line_place *place, const char *function, const char *file,
			 uint32_t line)
{
	assert_string_equal(place->function, function);
	assert_string_equal(place->file, file);
	assert_int_equal(place->line, line);
}

static void tells_all_levels(void **state)
{
	_cleanup_(line_unit_freep) struct line_unit *unit = make_unit();
	struct line_place places[8];

	assert_int_equal(line_unit_find(unit, 1025, places, 8), 3);
	assert_place(&places[0], "h", "h.h", 3);
	assert_place(&places[1], "g", "g.h", 12);
	assert_place(&places[2], "f", "f.c", 11);
	assert_int_equal(places[0].declared, 112);
	assert_int_equal(line_unit_find(unit, 1030, places, 8), 2);
	assert_place(&places[0], "g", "f.c", 4);
	assert_place(&places[1], "f", "f.c", 11);
	assert_int_equal(line_unit_find(unit, 1000, places, 8), 1);
	assert_place(&places[0], "f", "f.c", 1);
	assert_int_equal(line_unit_find(unit, 1025, places, 2), 2);
	assert_place(&places[1], "g", "g.h", 12);
	assert_int_equal(line_unit_find(unit, 999, places, 8), 0);
	assert_int_equal(line_unit_find(unit, 1100, places, 8), 0);
	assert_int_equal(line_unit_find(unit, UINT64_MAX, places, 8), 0);
	assert_int_equal(line_unit_find(unit, 1025, places, 0), 0);
}

static void of_rows_at_one_address_the_last_holds(void **state)
{
	struct line_unit_builder builder;
	struct line_place places[2];
	struct line_unit *unit;

	line_unit_builder_init(&builder);
	row(&builder, 10, "a", 1);
	row(&builder, 10, "b", 2);
	row(&builder, 20, "c", 3);
	row(&builder, 20, "", NOTHING); /* c has no byte */
	unit = line_unit_finish(&builder);
	assert_int_equal(line_unit_find(unit, 10, places, 2), 1);
	assert_place(&places[0], "", "b", 2);
	assert_int_equal(line_unit_find(unit, 20, places, 2), 0);
	line_unit_builder_done(&builder);
	line_unit_free(unit);
}

static void sequences_may_come_in_any_order(void **state)
{
	struct line_unit_builder builder;
	struct line_place places[2];
	struct line_unit *unit;

	line_unit_builder_init(&builder);
	row(&builder, 30, "late", 1);
	row(&builder, 35, "late", 2);
	row(&builder, 40, "", NOTHING);
	row(&builder, 10, "early", 3);
	row(&builder, 30, "", NOTHING); /* where the other begins */
	unit = line_unit_finish(&builder);
	assert_int_equal(line_unit_find(unit, 29, places, 2), 1);
	assert_place(&places[0], "", "early", 3);
	assert_int_equal(line_unit_find(unit, 30, places, 2), 1);
	assert_place(&places[0], "", "late", 1);
	assert_int_equal(line_unit_find(unit, 39, places, 2), 1);
	assert_place(&places[0], "", "late", 2);
	assert_int_equal(line_unit_find(unit, 40, places, 2), 0);
	line_unit_builder_done(&builder);
	line_unit_free(unit);
}

static void what_is_4_gib_away_is_left_out(void **state)
{
	struct line_unit_builder builder;
	struct line_place places[2];
	struct line_unit *unit;

	line_unit_builder_init(&builder);
	row(&builder, 10, "near", 1);
	row(&builder, 20, "", NOTHING);
	row(&builder, 10 + (1ULL << 32), "far", 2);
	row(&builder, 20 + (1ULL << 32), "", NOTHING);
	unit = line_unit_finish(&builder);
	assert_int_equal(line_unit_find(unit, 10, places, 2), 1);
	assert_int_equal(line_unit_find(unit, 10 + (1ULL << 32), places, 2), 0);
	line_unit_builder_done(&builder);
	line_unit_free(unit);
}

struct seen {
	size_t count;
	uint64_t bytes;
	char text[256];
};

static void take_line(void *context, uint64_t start, uint64_t end, const char *file, uint32_t line)
{
	struct seen *seen = context;
	size_t used = strlen(seen->text);

	seen->count++;
	seen->bytes += end - start;
	snprintf(seen->text + used, sizeof(seen->text) - used, "%s:%u ", file, line);
}

static void gives_every_line_once(void **state)
{
	_cleanup_(line_unit_freep) struct line_unit *unit = make_unit();
	struct seen seen = { 0 };

	line_unit_each_line(unit, take_line, &seen);
	assert_int_equal(seen.count, 4);
	assert_int_equal(seen.bytes, 100);
	assert_string_equal(seen.text, "f.c:1 g.h:2 h.h:3 f.c:4 ");
}

static void a_block_can_be_adopted(void **state)
{
	struct line_unit *unit = make_unit();
	size_t size;
	const void *block = line_unit_block(unit, &size);
	struct line_unit *adopted = line_unit_adopt(xmemdup(block, size), size);
	struct line_place places[8];

	line_unit_free(unit);
	assert_non_null(adopted);
	assert_int_equal(line_unit_find(adopted, 1025, places, 8), 3);
	assert_place(&places[2], "f", "f.c", 11);
	line_unit_free(adopted);
}

/* Whatever is in a block, adopting and asking it stays within it. */
static void damaged_blocks_are_refused_or_harmless(void **state)
{
	_cleanup_(line_unit_freep) struct line_unit *unit = make_unit();
	size_t size, refused = 0;
	const void *block = line_unit_block(unit, &size);
	struct line_place places[8];

	for (size_t at = 0; at < size; at++) {
		for (unsigned flip = 1; flip < 256; flip <<= 1) {
			uint8_t *copy = xmemdup(block, size);
			struct line_unit *adopted;

			copy[at] ^= (uint8_t)flip;
			adopted = line_unit_adopt(copy, size);
			refused += !adopted;
			for (uint64_t address = 990; adopted && address < 1110; address++)
				line_unit_find(adopted, address, places, 8);
			free(copy);
		}
	}
	assert_true(refused > 100);
	for (size_t cut = 0; cut < size; cut++) {
		uint8_t *copy = xmalloc(cut + 1);

		memcpy(copy, block, cut);
		assert_null(line_unit_adopt(copy, cut));
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_all_levels),
		cmocka_unit_test(of_rows_at_one_address_the_last_holds),
		cmocka_unit_test(sequences_may_come_in_any_order),
		cmocka_unit_test(what_is_4_gib_away_is_left_out),
		cmocka_unit_test(gives_every_line_once),
		cmocka_unit_test(a_block_can_be_adopted),
		cmocka_unit_test(damaged_blocks_are_refused_or_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
