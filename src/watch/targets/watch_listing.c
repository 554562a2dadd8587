/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_listing.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "present/safe.h"
#include "views/symbolize.h"
#include "watch/probes/probes.h"
#include "watch/targets/watch_memory.h"
#include "watch/targets/watch_sources.h"

enum {
	NAME_WIDTH = 40,
	PLACE_WIDTH = 28,
	MOST_PLACES_OF_KERNEL = 4096, /* with more functions, omit source lines */
};

/* A listing being made. */
struct listing {
	const struct watch_target_options *options;
	struct watch_sources *sources;
	struct symbolizer *symbolizer; /* for the kernel; NULL: not needed or not available */
	struct buf *text;
	struct err *err;
};

static struct watch_sources *open_sources(const struct watch_target_options *options)
{
	const struct watch_sources_options sources = {
		.view = { .pid = options->pid,
			  .command = options->command,
			  .foreign = options->foreign },
		.module = options->module,
		.lines = options->lines,
	};

	return watch_sources_new(&sources);
}

static int find_word(struct listing *listing, const char *text, struct watch_matches *matches)
{
	struct watch_word word;
	int rc = watch_word_parse(listing->options->foreign, text, &word, listing->err);

	if (rc < 0)
		return rc;
	rc = watch_sources_find(listing->sources, &word, matches, listing->err);
	watch_word_done(&word);
	return rc;
}

static void add_padded(struct buf *text, const char *raw, size_t width)
{
	struct buf safe = { 0 };
	size_t used;

	safe_text(&safe, raw);
	used = safe_width(buf_text(&safe));
	buf_add_str(text, buf_text(&safe));
	buf_printf(text, "%*s", used < width ? (int)(width - used) : 0, "");
	buf_done(&safe);
}

/* ---- functions ---- */

static void add_kernel_place(struct listing *listing, const struct watch_candidate *candidate,
			     struct buf *place)
{
	struct symbolized answer;
	const struct line_place *outermost;

	if (!listing->symbolizer ||
	    symbolizer_ask(listing->symbolizer, candidate->address, &answer, NULL) < 0 ||
	    answer.place_count == 0)
		return;
	outermost = &answer.places[answer.place_count - 1];
	if (*outermost->file)
		buf_printf(place, "%s:%" PRIu32, file_base(outermost->file),
			   outermost->declared ? outermost->declared : outermost->line);
}

static void add_mechanism(struct listing *listing, const struct watch_candidate *candidate,
			  const enum probe_mechanism mechanisms[2])
{
	const char *why = NULL;
	struct watch_kernel *kernel;

	if (candidate->kernel && watch_sources_kernel(listing->sources, &kernel, NULL) == 0)
		why = watch_kernel_refusal(kernel, candidate->kernel);
	if (why)
		buf_printf(listing->text, "cannot be watched: %s", why);
	else if (candidate->function && candidate->function->indirect)
		buf_add_str(listing->text,
			    "indirect function (IFUNC): resolves to one of several functions");
	else if (mechanisms[candidate->image != NULL] == PROBE_NONE)
		buf_add_str(listing->text, "no way to watch it on this machine");
	else
		buf_add_str(listing->text,
			    probe_mechanism_name(mechanisms[candidate->image != NULL]));
	if (!why && candidate->kernel && !candidate->kernel->listed)
		buf_add_str(listing->text, " (notrace: may fail)");
	buf_add_char(listing->text, '\n');
}

static void add_function(struct listing *listing, const struct watch_candidate *candidate,
			 const enum probe_mechanism mechanisms[2])
{
	struct buf label = { 0 }, place = { 0 };

	watch_sources_label(listing->sources, candidate, true, &label);
	if (!watch_match_place(candidate, &place) && !candidate->image)
		add_kernel_place(listing, candidate, &place);
	add_padded(listing->text, buf_text(&label), NAME_WIDTH);
	buf_add_str(listing->text, "  ");
	add_padded(listing->text, place.size ? buf_text(&place) : "-", PLACE_WIDTH);
	buf_printf(listing->text, "  0x%" PRIx64 "  ", candidate->address);
	add_mechanism(listing, candidate, mechanisms);
	buf_done(&label);
	buf_done(&place);
}

static void count_kinds(const struct watch_matches *matches, size_t counts[2])
{
	for (size_t i = 0; i < matches->list.count; i++)
		counts[matches->list.items[i].image != NULL]++;
}

static void open_symbolizer(struct listing *listing, size_t wanted)
{
	const struct symbolize_options options = { .kernel = true,
						   .lines = listing->options->lines };

	if (wanted && wanted <= MOST_PLACES_OF_KERNEL)
		symbolizer_new(&options, &listing->symbolizer, NULL);
}

static int add_functions(struct listing *listing, const struct watch_matches *matches)
{
	enum probe_mechanism mechanisms[2] = { PROBE_NONE, PROBE_NONE };
	size_t counts[2] = { 0, 0 };

	count_kinds(matches, counts);
	for (int user = 0; user < 2; user++) {
		if (counts[user])
			mechanisms[user] = probes_mechanism(user, counts[user]);
	}
	open_symbolizer(listing, counts[0]);
	for (size_t i = 0; i < matches->list.count; i++)
		add_function(listing, &matches->list.items[i], mechanisms);
	if (matches->aliases)
		buf_printf(listing->text, "%zu more name%s for the same functions\n",
			   matches->aliases, matches->aliases > 1 ? "s" : "");
	symbolizer_free(listing->symbolizer);
	return 0;
}

/* Finds the functions of all words and lists them. */
static int list_all(const struct watch_target_options *options,
		    int (*list)(struct listing *listing, const struct watch_matches *matches),
		    struct buf *text, struct err *err)
{
	_cleanup_(watch_sources_freep) struct watch_sources *sources = open_sources(options);
	struct listing listing = {
		.options = options, .sources = sources, .text = text, .err = err
	};
	struct watch_matches matches = { .aliases = 0 };
	int rc = 0;

	if (options->word_count == 0 && !options->module)
		rc = err_set(err, -EINVAL,
			     "no functions given: name some, or '*' for the whole kernel");
	for (size_t i = 0; i < options->word_count && rc == 0; i++)
		rc = find_word(&listing, options->words[i], &matches);
	if (options->word_count == 0 && rc == 0)
		rc = find_word(&listing, "*", &matches);
	if (rc == 0)
		rc = list(&listing, &matches);
	watch_matches_done(&matches);
	return rc;
}

int watch_listing_functions(const struct watch_target_options *options, struct buf *text,
			    struct err *err)
{
	return list_all(options, add_functions, text, err);
}

/* ---- blocks ---- */

/* The lines of a block: the first and the last, in the function's own file. */
static void add_lines(const struct watch_candidate *candidate, const struct code_blocks *blocks,
		      const struct code_block *block, struct buf *text)
{
	uint32_t least = 0, most = 0;
	struct buf file = { 0 };

	for (size_t i = block->first; candidate->image && i < block->first + block->count; i++) {
		size_t count;
		const struct line_place *places =
			line_file_find(watch_image_lines(candidate->image),
				       blocks->steps.items[i].address, &count);
		const struct line_place *own = count ? &places[count - 1] : NULL;

		if (!own || !*own->file || !own->line)
			continue;
		if (!file.size)
			buf_add_str(&file, file_base(own->file));
		least = !least || own->line < least ? own->line : least;
		most = own->line > most ? own->line : most;
	}
	if (least && most > least)
		buf_printf(&file, ":%" PRIu32 "-%" PRIu32, least, most);
	else if (least)
		buf_printf(&file, ":%" PRIu32, least);
	add_padded(text, least ? buf_text(&file) : "-", PLACE_WIDTH);
	buf_done(&file);
}

static void add_target(const struct watch_candidate *candidate, uint64_t target, struct buf *text)
{
	if (target >= candidate->address && target < candidate->address + candidate->size)
		buf_printf(text, " +0x%" PRIx64, target - candidate->address);
	else
		buf_printf(text, " 0x%" PRIx64, target);
}

static void add_ways(const struct watch_candidate *candidate, const struct code_blocks *blocks,
		     const struct code_block *block, struct buf *text)
{
	const struct code_step *last = &blocks->steps.items[block->first + block->count - 1];

	switch (last->flow.kind) {
	case CODE_FLOW_RETURN:
		buf_add_str(text, " return");
		return;
	case CODE_FLOW_COMPUTED:
		buf_add_str(text, " a computed address");
		return;
	case CODE_FLOW_STOP:
	case CODE_FLOW_DATA:
		buf_add_str(text, " nowhere");
		return;
	case CODE_FLOW_BRANCH:
	case CODE_FLOW_JUMP:
		add_target(candidate, last->flow.target, text);
		break;
	case CODE_FLOW_NEXT:
		break;
	}
	if (last->flow.kind != CODE_FLOW_JUMP && block->end < candidate->address + candidate->size)
		add_target(candidate, block->end, text);
}

static void add_block(const struct watch_candidate *candidate, const struct code_blocks *blocks,
		      size_t index, struct buf *text)
{
	const struct code_block *block = &blocks->list.items[index];
	char start[32];

	snprintf(start, sizeof(start), "+0x%" PRIx64, block->start - candidate->address);
	buf_printf(text, "%-10s  0x%-16" PRIx64 "  %12zu  ", start, block->start, block->count);
	add_lines(candidate, blocks, block, text);
	buf_add_str(text, " ");
	add_ways(candidate, blocks, block, text);
	buf_add_char(text, '\n');
}

static void add_label(const struct listing *listing, const struct watch_candidate *candidate)
{
	struct buf label = { 0 };

	watch_sources_label(listing->sources, candidate, true, &label);
	safe_text(listing->text, buf_text(&label));
	buf_done(&label);
}

static int add_blocks(struct listing *listing, const struct watch_candidate *candidate)
{
	struct buf *text = listing->text;
	struct code_blocks blocks = { .data = false };
	int rc = watch_sources_code(listing->sources, candidate, &blocks, listing->err);

	if (rc == 0) {
		add_label(listing, candidate);
		buf_printf(text, ": %zu basic blocks, %" PRIu64 " bytes\n", blocks.list.count,
			   candidate->size);
		buf_printf(text, "%-10s  %-18s  %12s  %-*s  %s\n", "block", "address",
			   "instructions", PLACE_WIDTH, "lines", "leads to");
	}
	for (size_t i = 0; i < blocks.list.count && rc == 0; i++)
		add_block(candidate, &blocks, i, text);
	code_blocks_done(&blocks);
	return rc;
}

static int add_all_blocks(struct listing *listing, const struct watch_matches *matches)
{
	int rc = 0;

	for (size_t i = 0; i < matches->list.count && rc == 0; i++)
		rc = add_blocks(listing, &matches->list.items[i]);
	return rc;
}

int watch_listing_blocks(const struct watch_target_options *options, struct buf *text,
			 struct err *err)
{
	return list_all(options, add_all_blocks, text, err);
}

/* ---- instructions ---- */

static void add_bytes(const struct code_bytes_of *bytes, const struct code_step *step,
		      struct buf *text)
{
	enum { BYTES_SHOWN = 15, BYTE_WIDTH = 3 };
	uint64_t at = step->address - bytes->start;

	for (uint32_t i = 0; i < BYTES_SHOWN; i++) {
		if (i < step->length && at + i < bytes->size)
			buf_printf(text, "%02x ", bytes->bytes[at + i]);
		else if (i < BYTES_SHOWN / 2)
			buf_printf(text, "%*s", BYTE_WIDTH, "");
	}
}

static void add_step(char mark, const struct watch_candidate *candidate,
		     const struct code_bytes_of *bytes, const struct code_blocks *blocks,
		     const struct code_step *step, struct buf *text)
{
	char distance[32];

	snprintf(distance, sizeof(distance), "+0x%" PRIx64, step->address - candidate->address);
	buf_printf(text, "%c %-8s %12" PRIx64 "  ", mark, distance, step->address);
	add_bytes(bytes, step, text);
	buf_add_char(text, ' ');
	safe_text(text, code_blocks_text(blocks, step));
	buf_add_char(text, '\n');
}

static bool is_equal(const struct code_bytes_of *a, const struct code_bytes_of *b,
		     const struct code_step *step)
{
	uint64_t at = step->address - a->start;

	return at + step->length <= a->size && at + step->length <= b->size &&
	       memcmp(a->bytes + at, b->bytes + at, step->length) == 0;
}

/* Adds the instructions of one side that begin before @end. */
static size_t add_side(char mark, const struct watch_candidate *candidate,
		       const struct watch_code *side, size_t at, uint64_t end, struct buf *text)
{
	for (; at < side->blocks.steps.count && side->blocks.steps.items[at].address < end; at++)
		add_step(mark, candidate, &side->bytes, &side->blocks,
			 &side->blocks.steps.items[at], text);
	return at;
}

/* The sides differ at @from: the next address where an instruction begins on both. */
static uint64_t find_end(const struct watch_code *original, const struct watch_code *now,
			 uint64_t from)
{
	for (size_t i = 0; i < original->blocks.steps.count; i++) {
		const struct code_step *step = &original->blocks.steps.items[i];

		if (step->address > from && code_blocks_step(&now->blocks, step->address))
			return step->address;
	}
	return UINT64_MAX;
}

static size_t add_both(const struct watch_candidate *candidate, const struct watch_code *original,
		       const struct watch_code *now, struct buf *text)
{
	size_t left = 0, right = 0, changed = 0;

	while (left < original->blocks.steps.count) {
		const struct code_step *step = &original->blocks.steps.items[left];
		uint64_t end;

		if (is_equal(&original->bytes, &now->bytes, step)) {
			add_step(' ', candidate, &original->bytes, &original->blocks, step, text);
			left++;
			right++;
			continue;
		}
		end = find_end(original, now, step->address);
		left = add_side('-', candidate, original, left, end, text);
		right = add_side('+', candidate, now, right, end, text);
		changed++;
	}
	return changed;
}

static void add_code(const struct watch_candidate *candidate, const struct watch_memory *memory,
		     struct buf *text)
{
	size_t changed;

	if (memory->original.has && memory->now.has) {
		changed = add_both(candidate, &memory->original, &memory->now, text);
		if (changed)
			buf_printf(text, "%zu place%s changed: - in the file, + in memory now\n",
				   changed, changed > 1 ? "s" : "");
		else
			buf_add_str(text, "memory and file are the same\n");
		return;
	}
	add_side(' ', candidate, memory->now.has ? &memory->now : &memory->original, 0, UINT64_MAX,
		 text);
}

static int add_all_code(struct listing *listing, const struct watch_matches *matches)
{
	int rc = 0;

	for (size_t i = 0; i < matches->list.count && rc == 0; i++) {
		const struct watch_candidate *candidate = &matches->list.items[i];
		struct watch_memory memory;

		rc = watch_memory_read(listing->sources, candidate, listing->options->pid, &memory,
				       listing->err);
		if (rc == 0) {
			add_label(listing, candidate);
			buf_printf(listing->text, ": %s\n", memory.note);
			add_code(candidate, &memory, listing->text);
		}
		watch_memory_done(&memory);
	}
	return rc;
}

int watch_listing_code(const struct watch_target_options *options, struct buf *text,
		       struct err *err)
{
	return list_all(options, add_all_code, text, err);
}
