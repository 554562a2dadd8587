/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks with a frame for each inline level. The lines are made up here: the code that reads files
 * is not linked into this program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "load/frame_lines.h"

enum { FRAMES = 8, MOST_LEVELS = 4 };

/* The levels at the recorded frames, the innermost first, and which of them were asked for. */
struct frame_lines {
	struct line_place places[FRAMES][MOST_LEVELS];
	size_t counts[FRAMES];
	struct buf added; /* "ROW=RECORDED.LEVEL " */
};

const struct line_place *frame_lines_of(struct frame_lines *lines, uint32_t frame,
					size_t *ret_count)
{
	assert_true(frame < FRAMES);
	*ret_count = lines->counts[frame];
	return lines->places[frame];
}

void frame_lines_add_level(struct frame_lines *lines, uint32_t frame, uint32_t recorded,
			   uint32_t level)
{
	buf_printf(&lines->added, "%u=%u.%u ", frame, recorded, level);
}

static void add_level(struct frame_lines *lines, uint32_t frame, const char *function)
{
	lines->places[frame][lines->counts[frame]++] = (struct line_place){
		.function = function,
		.file = "",
	};
}

static uint32_t add_frame(struct profile *profile, const char *name, uint64_t start)
{
	uint32_t image = profile_image(
		profile, &(struct image){ .kind = IMAGE_FILE,
					  .path = strpool_intern(&profile->strings, "/bin/a") });
	uint32_t symbol = profile_symbol(
		profile, &(struct symbol){ .image = image,
					   .name = strpool_intern(&profile->strings, name),
					   .start = start,
					   .kind = SYMBOL_NAMED });

	return profile_frame(profile, &(struct frame){ .image = image,
						       .offset = start + 1,
						       .address = start + 1,
						       .symbol = symbol });
}

/* "main;run", the outermost function first. */
static void assert_stack(const struct profile *profile, uint32_t stack, const char *wanted)
{
	const char *names[MOST_LEVELS * FRAMES];
	struct buf text = { 0 };
	size_t count = 0;

	for (; stack; stack = profile->stacks.items[stack].parent) {
		uint32_t frame = profile->stacks.items[stack].frame;
		uint32_t symbol = profile->frames.items[frame].symbol;

		names[count++] = profile_text(profile, profile->symbols.items[symbol].name);
	}
	while (count-- > 0)
		buf_printf(&text, "%s%s", names[count], count ? ";" : "");
	assert_string_equal(buf_text(&text), wanted);
	buf_done(&text);
}

/* A level without a name is no function: its time is that of the level around it. The outermost
 * one is the symbol, whatever the lines call it. */
static void levels_become_frames(void **state)
{
	struct profile *profile = profile_new();
	struct frame_lines lines = { .counts = { 0 } };
	struct inlines inlines = { 0 };
	uint32_t main = add_frame(profile, "main", 0x100), run = add_frame(profile, "run", 0x200),
		 plain = add_frame(profile, "plain", 0x300);
	uint32_t in_main = profile_stack(profile, 0, main);
	uint32_t in_run = profile_stack(profile, in_main, run);
	uint32_t in_plain = profile_stack(profile, in_run, plain);

	(void)state;
	add_level(&lines, main, "innermost");
	add_level(&lines, main, "");
	add_level(&lines, main, "outer");
	add_level(&lines, main, "");
	add_level(&lines, run, "");
	add_level(&lines, run, "called otherwise");
	add_level(&lines, plain, "only its own");
	inlines_expand(profile, &lines, &inlines);
	assert_stack(profile, inlines_stack(&inlines, in_main), "main;outer;innermost");
	assert_stack(profile, inlines_stack(&inlines, in_run), "main;outer;innermost;run");
	assert_stack(profile, inlines_stack(&inlines, in_plain), "main;outer;innermost;run;plain");
	assert_string_equal(buf_text(&lines.added), "4=1.3 5=1.2 6=1.0 7=2.1 ");
	buf_done(&lines.added);
	inlines_done(&inlines);
	profile_free(profile);
}

/* A function that was inlined is the symbol of its name, where there is one alone. */
static void inlined_functions_are_those_of_their_names(void **state)
{
	struct profile *profile = profile_new();
	struct frame_lines lines = { .counts = { 0 } };
	struct inlines inlines = { 0 };
	uint32_t main = add_frame(profile, "main", 0x100), run = add_frame(profile, "run", 0x200),
		 twin = add_frame(profile, "twin", 0x300),
		 other_twin = add_frame(profile, "twin", 0x400);
	uint32_t stack = profile_stack(profile, 0, main), leaf,
		 known = (uint32_t)profile->symbols.count;
	const struct stack_node *nodes;

	(void)state;
	profile_stack(profile, stack, run);
	profile_stack(profile, stack, twin);
	profile_stack(profile, stack, other_twin);
	add_level(&lines, main, "run");
	add_level(&lines, main, "twin");
	add_level(&lines, main, "main");
	inlines_expand(profile, &lines, &inlines);
	leaf = inlines_stack(&inlines, stack);
	assert_stack(profile, leaf, "main;twin;run");
	nodes = profile->stacks.items;
	assert_int_equal(profile->frames.items[nodes[leaf].frame].symbol,
			 profile->frames.items[run].symbol);
	assert_int_equal(profile->frames.items[nodes[nodes[leaf].parent].frame].symbol, known);
	assert_int_equal(profile->symbols.items[known].start, 0);
	buf_done(&lines.added);
	inlines_done(&inlines);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_become_frames),
		cmocka_unit_test(inlined_functions_are_those_of_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
