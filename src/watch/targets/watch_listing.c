/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_listing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "code/disassembler.h"
#include "foreign/door.h"
#include "place/kernel/kernel_text.h"
#include "present/safe.h"
#include "proc/proc_scan.h"
#include "views/views.h"
#include "watch/probes/probes.h"
#include "watch/targets/watch_image.h"
#include "watch/targets/watch_kernel.h"
#include "watch/targets/watch_match.h"
#include "watch/targets/watch_sources.h"
#include "watch/targets/watch_word.h"

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

/* ---- code in files and in memory ---- */

struct bytes {
	uint8_t *bytes; /* owned */
	uint64_t start; /* address of the first byte; the same on both sides */
	size_t size;
};

struct side {
	bool has;
	struct bytes bytes;
	struct code_blocks blocks;
};

/* A function's code in its file and in memory: they differ by probes, patches, and the kernel's own
 * changes at boot. */
struct memory {
	struct side original; /* from the file */
	struct side now;      /* from process or kernel memory */
	const char *note;     /* which sides there are, and why one is missing; constant */
};

/* Searches for the mapping that contains an offset of a file. */
struct map_search {
	uint64_t inode, offset;
	uint64_t address; /* of the offset in the process; 0: not mapped */
	bool late;	  /* reading the mappings timed out */
};

static void take_map(void *context, int32_t pid, const struct proc_map *map)
{
	struct map_search *search = context;

	(void)pid;
	if (map->inode == search->inode && search->offset >= map->offset &&
	    search->offset - map->offset < map->end - map->start)
		search->address = map->start + (search->offset - map->offset);
}

static void take_late(void *context, int32_t pid)
{
	(void)pid;
	((struct map_search *)context)->late = true;
}

static int find_address(struct foreign *foreign, const struct watch_candidate *candidate,
			int32_t pid, uint64_t offset, uint64_t *ret_address, struct err *err)
{
	struct map_search search = { .inode = watch_image_file(candidate->image)->inode,
				     .offset = offset };
	const struct proc_visitor visitor = {
		.map = take_map, .late = take_late, .context = &search, .foreign = foreign
	};
	int rc = proc_scan_one(pid, &visitor, err);

	if (rc == 0 && search.late)
		return err_set(err, -ETIMEDOUT,
			       "cannot read the memory of process %" PRId32
			       ": it waits for a file system that does not answer",
			       pid);
	if (rc == 0 && !search.address)
		rc = err_set(err, -ENOENT, "process %" PRId32 " has not mapped %s", pid,
			     watch_image_path(candidate->image));
	*ret_address = search.address;
	return rc;
}

static int read_process(struct foreign *foreign, int32_t pid, uint64_t address,
			const struct bytes *code, struct err *err)
{
	size_t done = 0;

	while (done < code->size) {
		size_t left = code->size - done;
		size_t wanted = left < DOOR_MOST_MEMORY ? left : DOOR_MOST_MEMORY;
		ssize_t got =
			door_read_memory(foreign, pid, address + done, code->bytes + done, wanted);

		if (got <= 0)
			return err_set(err, got < 0 ? (int)got : -EIO,
				       "/proc/%" PRId32 "/mem: cannot read at 0x%" PRIx64 ": %s",
				       pid, address + done,
				       got < 0 ? strerror((int)-got) : "nothing is mapped there");
		done += (size_t)got;
	}
	return 0;
}

/* Names addresses in operands, so both sides are written alike. */
static bool name_address(void *context, uint64_t address, struct buf *name, uint64_t *ret_start)
{
	const struct function_list *list = context;
	const struct listed_function *function = function_list_around(list, address);

	if (!function)
		return false;
	buf_add_str(name, function_list_name(list, function->name));
	*ret_start = function->start;
	return true;
}

static int list_bytes(const struct watch_candidate *candidate, struct side *code, struct err *err)
{
	const struct disassembler_options options = { .open_image = NULL };
	const struct elf_file *elf = watch_image_elf(candidate->image);
	const struct disassembler_bytes bytes = {
		.machine = { elf_file_machine(elf), elf_file_is_64(elf) },
		.bytes = code->bytes.bytes,
		.size = code->bytes.size,
		.start = code->bytes.start,
		.name = name_address,
		.context = (void *)(uintptr_t)watch_image_functions(candidate->image),
	};
	_cleanup_(disassembler_freep) struct disassembler *disassembler =
		disassembler_new(&options);
	int rc = disassembler_bytes(disassembler, &bytes, code_blocks_take, &code->blocks, err);

	code->has = rc == 0;
	return rc;
}

static void make_room(const struct watch_candidate *candidate, struct side *code)
{
	code->bytes = (struct bytes){ .bytes = xmalloc(candidate->size),
				      .start = candidate->address,
				      .size = candidate->size };
}

static int read_file(const struct watch_candidate *candidate, uint64_t offset, struct side *code,
		     struct err *err)
{
	int rc;

	make_room(candidate, code);
	rc = elf_file_read_at(watch_image_elf(candidate->image), offset, code->bytes.bytes,
			      code->bytes.size, err);
	return rc < 0 ? rc : list_bytes(candidate, code, err);
}

static int read_now(struct foreign *foreign, const struct watch_candidate *candidate, int32_t pid,
		    uint64_t offset, struct side *code, struct err *err)
{
	uint64_t address = 0;
	int rc = find_address(foreign, candidate, pid, offset, &address, err);

	if (rc < 0)
		return rc;
	make_room(candidate, code);
	rc = read_process(foreign, pid, address, &code->bytes, err);
	return rc < 0 ? rc : list_bytes(candidate, code, err);
}

static int read_kernel(struct watch_sources *sources, const struct watch_candidate *candidate,
		       struct side *code, struct err *err)
{
	_cleanup_(kernel_text_freep) struct kernel_text *text = NULL;
	int rc = kernel_text_open(&text, err);

	if (rc < 0)
		return rc;
	make_room(candidate, code);
	rc = kernel_text_read(text, candidate->address, code->bytes.bytes, code->bytes.size, err);
	if (rc == 0)
		rc = watch_sources_code(sources, candidate, &code->blocks, err);
	code->has = rc == 0;
	return rc;
}

/* @pid: the process whose memory to read; 0: none. Kernel functions are only read from memory. The
 * caller always calls done_memory. */
static int read_memory(struct watch_sources *sources, const struct watch_candidate *candidate,
		       int32_t pid, struct memory *ret_memory, struct err *err)
{
	uint64_t offset;
	int rc;

	*ret_memory = (struct memory){ .note = "" };
	if (candidate->size == 0 || candidate->size > KERNEL_TEXT_MAX)
		return err_set(err, -ENODATA, "the end of the code is not known");
	if (!candidate->image) {
		ret_memory->note = "kernel memory now";
		return read_kernel(sources, candidate, &ret_memory->now, err);
	}
	if (!watch_image_offset(candidate->image, candidate->address, &offset))
		return err_set(err, -ENODATA, "the code is not in the file");
	rc = read_file(candidate, offset, &ret_memory->original, err);
	ret_memory->note = pid ? "the file and the process's memory"
			       : "the file; -p PID adds the memory of that process";
	if (rc == 0 && pid)
		rc = read_now(watch_sources_foreign(sources), candidate, pid, offset,
			      &ret_memory->now, err);
	return rc;
}

static void done_memory(struct memory *memory)
{
	struct side *sides[] = { &memory->original, &memory->now };

	for (size_t i = 0; i < sizeof(sides) / sizeof(*sides); i++) {
		free(sides[i]->bytes.bytes);
		code_blocks_done(&sides[i]->blocks);
	}
}

/* ---- instructions ---- */

static void add_bytes(const struct bytes *bytes, const struct code_step *step, struct buf *text)
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

static void add_step(char mark, const struct watch_candidate *candidate, const struct bytes *bytes,
		     const struct code_blocks *blocks, const struct code_step *step,
		     struct buf *text)
{
	char distance[32];

	snprintf(distance, sizeof(distance), "+0x%" PRIx64, step->address - candidate->address);
	buf_printf(text, "%c %-8s %12" PRIx64 "  ", mark, distance, step->address);
	add_bytes(bytes, step, text);
	buf_add_char(text, ' ');
	safe_text(text, code_blocks_text(blocks, step));
	buf_add_char(text, '\n');
}

static bool is_equal(const struct bytes *a, const struct bytes *b, const struct code_step *step)
{
	uint64_t at = step->address - a->start;

	return at + step->length <= a->size && at + step->length <= b->size &&
	       memcmp(a->bytes + at, b->bytes + at, step->length) == 0;
}

/* Adds the instructions of one side that begin before @end. */
static size_t add_side(char mark, const struct watch_candidate *candidate, const struct side *side,
		       size_t at, uint64_t end, struct buf *text)
{
	for (; at < side->blocks.steps.count && side->blocks.steps.items[at].address < end; at++)
		add_step(mark, candidate, &side->bytes, &side->blocks,
			 &side->blocks.steps.items[at], text);
	return at;
}

/* The sides differ at @from: the next address where an instruction begins on both. */
static uint64_t find_end(const struct side *original, const struct side *now, uint64_t from)
{
	for (size_t i = 0; i < original->blocks.steps.count; i++) {
		const struct code_step *step = &original->blocks.steps.items[i];

		if (step->address > from && code_blocks_step(&now->blocks, step->address))
			return step->address;
	}
	return UINT64_MAX;
}

static size_t add_both(const struct watch_candidate *candidate, const struct side *original,
		       const struct side *now, struct buf *text)
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

static void add_code(const struct watch_candidate *candidate, const struct memory *memory,
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
		struct memory memory;

		rc = read_memory(listing->sources, candidate, listing->options->pid, &memory,
				 listing->err);
		if (rc == 0) {
			add_label(listing, candidate);
			buf_printf(listing->text, ": %s\n", memory.note);
			add_code(candidate, &memory, listing->text);
		}
		done_memory(&memory);
	}
	return rc;
}

/* ---- all ---- */

int watch_listing_make(enum watch_listing kind, const struct watch_target_options *options,
		       struct buf *text, struct err *err)
{
	static int (*const list[])(struct listing * listing,
				   const struct watch_matches *matches) = {
		[WATCH_LISTING_FUNCTIONS] = add_functions,
		[WATCH_LISTING_BLOCKS] = add_all_blocks,
		[WATCH_LISTING_CODE] = add_all_code,
	};
	_cleanup_(watch_sources_freep) struct watch_sources *sources = watch_sources_new(options);
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
		rc = list[kind](&listing, &matches);
	watch_matches_done(&matches);
	return rc;
}
