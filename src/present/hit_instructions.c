/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/hit_instructions.h"

#include <inttypes.h>

#include "base/xalloc.h"
#include "present/figures.h"
#include "present/paragraph.h"
#include "present/safe.h"

enum {
	LEAST_NAME = 16, /* what an instruction leaves of its function's name */
	INDENT = 2,	 /* of the lists of processes */
};

struct addresses hit_instructions_collect(const struct view *view, const struct total *totals,
					  size_t count, enum routines_part part)
{
	struct addresses addresses = { .profile = view->labels->profile };

	if (view->instructions)
		routines_addresses(view->labels->profile, totals, count, part, &addresses);
	return addresses;
}

/* "<name+0x1a>: ", or "0x1a: " if there is no symbol. The name gets the room that @rest, which
 * follows, leaves on the line. */
static void add_place(const struct view *view, const struct frame *frame, size_t name_width,
		      const char *rest, struct buf *line)
{
	const struct symbol *symbol = &view->labels->profile->symbols.items[frame->symbol];
	size_t most = screen_names_width(&view->screen), room = SIZE_MAX, other;
	struct buf name = { 0 }, end = { 0 };

	if (symbol->kind == SYMBOL_NONE || frame->address < symbol->start) {
		buf_printf(line, "0x%" PRIx64 ": ", frame->address);
		return;
	}
	labels_routine(view->labels, frame->symbol, &name);
	if (frame->address > symbol->start)
		buf_printf(&end, "+0x%" PRIx64, frame->address - symbol->start);
	buf_add_str(&end, ">: ");
	other = INDENT + line->size + 1 + end.size + safe_width(rest);
	if (most)
		room = most > other + LEAST_NAME ? most - other : LEAST_NAME;
	if (name_width && name_width < room)
		room = name_width;
	buf_add_char(line, '<');
	safe_text_middle(line, buf_text(&name), room);
	buf_add_str(line, buf_text(&end));
	buf_done(&name);
	buf_done(&end);
}

static void begin_line(struct buf *line, const struct hits *hits, uint64_t whole)
{
	buf_clear(line);
	buf_printf(line, "  %8" PRIu64 "  %6.2f  ", hits->samples,
		   figures_percent(hits->weight, whole));
}

static void add_line(const struct view *view, const struct address *address, uint64_t whole,
		     size_t name_width, struct columns *columns)
{
	const struct frame *frame = &view->labels->profile->frames.items[address->frame];
	struct hits hits = split_sum(&address->split);
	struct buf line = { 0 }, text = { 0 }, safe = { 0 };

	view->instructions->text(view->instructions->context, address->frame, &text);
	safe_text(&safe, buf_text(&text));
	begin_line(&line, &hits, whole);
	add_place(view, frame, name_width, buf_text(&safe), &line);
	buf_add_str(&line, buf_text(&safe));
	columns_line(columns, buf_text(&line));
	buf_done(&line);
	buf_done(&text);
	buf_done(&safe);
}

/* Marks the @most heaviest rows that are not marked yet; of equal ones the first. */
static void choose(const struct address *rows, size_t count, size_t most, bool *chosen)
{
	for (; most; most--) {
		size_t best = count;

		for (size_t i = 0; i < count; i++) {
			if (!chosen[i] &&
			    (best == count || split_sum(&rows[i].split).weight >
						      split_sum(&rows[best].split).weight))
				best = i;
		}
		chosen[best] = true;
	}
}

static void add_others(const struct hits *others, size_t count, uint64_t whole,
		       struct columns *columns)
{
	struct buf line = { 0 };

	begin_line(&line, others, whole);
	buf_printf(&line, "at %zu other addresses", count);
	columns_line(columns, buf_text(&line));
	buf_done(&line);
}

void hit_instructions_add(const struct view *view, const struct addresses *addresses,
			  const struct routine *routine,
			  const struct hit_instructions_limits *limits, struct columns *columns)
{
	size_t count, most;
	const struct address *rows = routines_addresses_of(addresses, routine, &count);
	_cleanup_free_ bool *chosen = xcalloc(count + 1, sizeof(*chosen));
	struct hits all = { 0 }, others = { 0 };

	most = limits->lines && limits->lines < count ? limits->lines : count;
	for (size_t i = 0; i < count; i++) {
		struct hits hits = split_sum(&rows[i].split);

		chosen[i] = most == count;
		hits_add(&all, &hits);
	}
	if (most < count)
		choose(rows, count, most, chosen);
	for (size_t i = 0; i < count; i++) {
		struct hits hits = split_sum(&rows[i].split);

		if (chosen[i])
			add_line(view, &rows[i], all.weight, limits->name_width, columns);
		else
			hits_add(&others, &hits);
	}
	if (most < count)
		add_others(&others, count - most, all.weight, columns);
}

void hit_instructions_print_note(const struct view *view, FILE *out)
{
	const char *note =
		view->instructions ? view->instructions->note(view->instructions->context) : NULL;
	struct buf text = { 0 };

	if (!note)
		return;
	buf_add_str(&text, "Note: ");
	safe_text(&text, note);
	fputc('\n', out);
	paragraph_text(buf_text(&text), &view->screen, out);
	buf_done(&text);
}
