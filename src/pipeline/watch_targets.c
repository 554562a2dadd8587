/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/watch_targets.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "pipeline/watch_indirect.h"
#include "pipeline/watch_sources.h"
#include "resolve/line_search.h"
#include "resolve/name_pattern.h"

enum {
	MOST_TARGETS = 65536,
	TOLD_FUNCTIONS = 8,	/* of an ambiguous name */
	MOST_WITH_EXITS = 4096, /* functions that are disassembled for their exits */
	MOST_STRETCHES = 256,	/* of a source line */
};

/* What a target was made of, beside the list of them. */
struct source_of {
	struct watch_candidate candidate;
	str_id label;
};

struct watch_targets {
	struct watch_target_options options;
	struct watch_sources *sources;
	VEC(struct probe_target) list;
	VEC(struct source_of) made_of; /* by the same index */
	struct hashidx index;	       /* of places */
	struct strpool texts;	       /* labels and notes */
	VEC(void *) blocks;	       /* arrays of exits, owned */
	VEC(str_id) notes;
	size_t skipped;	 /* of globs: what no probe may be put on */
	size_t repeated; /* the same again, by another name */
};

/* One word that is being turned into targets. */
struct turning {
	struct watch_targets *targets;
	const struct watch_word *word;
	bool glob;
	struct err *err;
};

static void add_note(struct watch_targets *targets, struct buf *note)
{
	*vec_push(&targets->notes) = strpool_intern(&targets->texts, buf_text(note));
	buf_done(note);
}

/* ---- a target ---- */

static bool is_same(const void *owner, uint32_t id, const void *key)
{
	const struct watch_targets *targets = owner;
	const struct probe_target *a = &targets->list.items[id], *b = key;

	if (a->user != b->user || a->instruction != b->instruction)
		return false;
	return a->user ? a->offset == b->offset && strcmp(a->path, b->path) == 0
		       : a->address == b->address;
}

/* Is it in the list already? Else it will be the next one. */
static bool is_there(struct watch_targets *targets, const struct probe_target *target)
{
	uint64_t hash = hash_combine(hash_u64(target->user ? target->offset : target->address),
				     target->instruction);
	uint32_t id;

	if (hashidx_find(&targets->index, hash, is_same, targets, target, &id))
		return true;
	hashidx_add(&targets->index, hash, (uint32_t)targets->list.count);
	return false;
}

static void add_sentence(struct watch_targets *targets, const char *label, const char *sentence)
{
	struct buf note = { 0 };

	buf_printf(&note, "%s: %s", label, sentence);
	add_note(targets, &note);
}

/* The exits of a function of a file. An array of none is still one: NULL would have return
 * addresses exchanged. */
static void add_exits(struct watch_targets *targets, const struct watch_candidate *candidate,
		      struct probe_target *target)
{
	struct buf offsets = { 0 };
	enum watch_exits known;
	bool loops;

	if (!targets->options.exits || targets->list.count >= MOST_WITH_EXITS ||
	    !candidate->function)
		return;
	known = watch_image_exits(candidate->image, candidate->function, &offsets, &loops);
	if (known != WATCH_EXITS_UNKNOWN) {
		target->return_count = offsets.size / sizeof(uint64_t);
		buf_add(&offsets, "", 1);
		target->returns_at = (uint64_t *)(void *)offsets.bytes;
		*vec_push(&targets->blocks) = offsets.bytes;
	}
	if (known == WATCH_EXITS_PARTLY)
		add_sentence(targets, target->label,
			     "not all of its exits can be told: some may be missing, with the "
			     "times of these calls");
	if (loops)
		add_sentence(targets, target->label,
			     "its first instruction is also that of a loop: entries count rounds "
			     "too");
}

static const char *make_label(struct watch_targets *targets,
			      const struct watch_candidate *candidate, const char *behind,
			      str_id *ret_id)
{
	struct buf label = { 0 };

	watch_sources_label(targets->sources, candidate, false, &label);
	buf_add_str(&label, behind);
	*ret_id = strpool_intern(&targets->texts, buf_text(&label));
	buf_done(&label);
	return strpool_get(&targets->texts, *ret_id);
}

/* Where it is; false: there is no such place in the file. */
static bool fill_place(const struct watch_candidate *candidate, uint64_t displacement,
		       struct probe_target *target)
{
	target->user = candidate->image;
	if (candidate->image) {
		target->path = watch_image_path(candidate->image);
		return watch_image_offset(candidate->image, candidate->address + displacement,
					  &target->offset);
	}
	target->name = *candidate->name ? candidate->name : NULL;
	target->module = *candidate->module ? candidate->module : NULL;
	target->address = candidate->address + displacement;
	target->displacement = displacement;
	target->shares_name = candidate->kernel && candidate->kernel->shares_name;
	return true;
}

static int add_target(struct watch_targets *targets, const struct watch_candidate *candidate,
		      const struct probe_target *wanted, const char *behind, struct err *err)
{
	struct probe_target target = *wanted;
	struct source_of source = { .candidate = *candidate };

	if (!fill_place(candidate, wanted->displacement, &target))
		return err_set(err, -ENOENT, "%s: there is no code at +0x%lx", candidate->name,
			       wanted->displacement);
	if (targets->list.count == MOST_TARGETS)
		return err_set(err, -EINVAL, "more than %d functions at a time cannot be watched",
			       MOST_TARGETS);
	if (is_there(targets, &target)) {
		targets->repeated++;
		return 0;
	}
	target.label = make_label(targets, candidate, behind, &source.label);
	if (!target.instruction && candidate->image)
		add_exits(targets, candidate, &target);
	*vec_push(&targets->list) = target;
	*vec_push(&targets->made_of) = source;
	return 0;
}

static int add_function(struct watch_targets *targets, const struct watch_candidate *candidate,
			struct err *err)
{
	const struct probe_target target = { .instruction = !candidate->size && candidate->image };

	return add_target(targets, candidate, &target, "", err);
}

/* ---- instructions ---- */

/* Does an instruction begin at that distance? Where code cannot be read the kernel decides. */
static int not_a_boundary(struct watch_targets *targets, const struct watch_candidate *candidate,
			  uint64_t displacement, const struct code_step *step, struct err *err)
{
	struct buf label = { 0 };
	uint64_t before = step ? step->address - candidate->address : 0;

	watch_sources_label(targets->sources, candidate, false, &label);
	err_set(err, -EINVAL,
		"%s+0x%lx is in the midst of an instruction: +0x%lx and +0x%lx are the nearest; "
		"--disassemble lists them",
		buf_text(&label), displacement, before, before + (step ? step->length : 0));
	buf_done(&label);
	return -EINVAL;
}

static int check_boundary(struct watch_targets *targets, const struct watch_candidate *candidate,
			  uint64_t displacement, struct err *err)
{
	struct code_blocks blocks = { .data = false };
	uint64_t address = candidate->address + displacement;
	const struct code_step *step;
	int rc = 0;

	if (displacement && candidate->size && displacement >= candidate->size)
		return err_set(
			err, -EINVAL, "%s has 0x%lx bytes: +0x%lx is beyond its end",
			demangler_text(watch_sources_demangler(targets->sources), candidate->name),
			candidate->size, displacement);
	if (displacement && watch_sources_code(targets->sources, candidate, &blocks, NULL) == 0 &&
	    !blocks.data) {
		step = code_blocks_before(&blocks, address);
		if (!step || step->address != address)
			rc = not_a_boundary(targets, candidate, displacement, step, err);
	}
	code_blocks_done(&blocks);
	return rc;
}

static int add_instruction(struct watch_targets *targets, const struct watch_candidate *candidate,
			   uint64_t displacement, const char *note, struct err *err)
{
	const struct probe_target target = { .instruction = true, .displacement = displacement };
	struct buf behind = { 0 };
	int rc = check_boundary(targets, candidate, displacement, err);

	buf_printf(&behind, "+0x%lx%s", displacement, note);
	if (rc == 0)
		rc = add_target(targets, candidate, &target, buf_text(&behind), err);
	buf_done(&behind);
	return rc;
}

static int add_displacements(struct turning *turning, const struct watch_candidate *candidate)
{
	struct watch_targets *targets = turning->targets;
	int rc = 0;

	for (size_t i = 0; i < targets->options.at_count && rc == 0; i++) {
		uint64_t displacement;

		rc = watch_word_displacement(targets->options.at[i], &displacement, turning->err);
		if (rc == 0)
			rc = add_instruction(targets, candidate, displacement, "", turning->err);
	}
	return rc;
}

/* Each basic block of a function, by its first instruction. */
static int add_blocks_of(struct watch_targets *targets, const struct watch_candidate *candidate,
			 struct err *err)
{
	struct code_blocks blocks = { .data = false };
	int rc = watch_sources_code(targets->sources, candidate, &blocks, err);

	for (size_t i = 0; i < blocks.list.count && rc == 0; i++) {
		const struct probe_target target = { .instruction = true,
						     .displacement = blocks.list.items[i].start -
								     candidate->address };
		struct buf behind = { 0 };

		buf_printf(&behind, "+0x%lx", target.displacement);
		rc = add_target(targets, candidate, &target, buf_text(&behind), err);
		buf_done(&behind);
	}
	code_blocks_done(&blocks);
	return rc;
}

/* ---- indirect functions ---- */

static void note_indirect(struct watch_targets *targets, const struct watch_candidate *candidate,
			  const char *what, const struct watch_addresses *addresses)
{
	const struct function_list *list = watch_image_functions(candidate->image);
	struct buf note = { 0 };

	buf_printf(&note, "%s:%s is an indirect function: %s", watch_image_shown(candidate->image),
		   candidate->name, what);
	for (size_t i = 0; i < addresses->list.count; i++) {
		const struct listed_function *function =
			function_list_around(list, addresses->list.items[i]);

		buf_printf(&note, "%s %s", i ? "," : "",
			   function ? function_list_name(list, function->name) : "?");
	}
	add_note(targets, &note);
}

static int add_indirect(struct turning *turning, const struct watch_candidate *candidate)
{
	struct watch_targets *targets = turning->targets;
	const struct function_list *list = watch_image_functions(candidate->image);
	struct watch_addresses addresses = { .list = { 0 } };
	uint64_t chosen;
	int rc = 0;

	if (watch_indirect_chosen(candidate, &chosen)) {
		*vec_push(&addresses.list) = chosen;
		note_indirect(targets, candidate, "programs here get, and what is watched is",
			      &addresses);
	} else {
		watch_indirect_choices(candidate, &addresses);
		note_indirect(targets, candidate,
			      "which one a program gets is chosen as it starts; watched are all of",
			      &addresses);
	}
	if (addresses.list.count == 0)
		rc = err_set(
			turning->err, -ENOENT,
			"%s:%s is an indirect function, and what it stands for cannot be told: "
			"name an implementation",
			watch_image_shown(candidate->image), candidate->name);
	for (size_t i = 0; i < addresses.list.count && rc == 0; i++) {
		const struct listed_function *function =
			function_list_around(list, addresses.list.items[i]);

		rc = add_function(
			targets,
			&(struct watch_candidate){
				.image = candidate->image,
				.module = "",
				.name = function ? function_list_name(list, function->name) : "",
				.address = addresses.list.items[i],
				.size = function ? function->size : 0,
				.function = function },
			turning->err);
	}
	vec_free(&addresses.list);
	return rc;
}

/* ---- a word ---- */

static bool is_indirect(const struct watch_candidate *candidate)
{
	return candidate->function && candidate->function->indirect;
}

static int refuse_ambiguous(struct watch_targets *targets, const struct watch_matches *matches,
			    const char *name, struct err *err)
{
	struct buf list = { 0 };

	for (size_t i = 0; i < matches->list.count && i < TOLD_FUNCTIONS; i++) {
		const struct watch_candidate *candidate = &matches->list.items[i];

		buf_add_str(&list, i ? "; " : "");
		if (candidate->image)
			buf_printf(&list, "%s:0x%lx ", watch_image_shown(candidate->image),
				   candidate->address);
		else
			buf_printf(&list, "kernel:0x%lx %s%s", candidate->address,
				   candidate->module, *candidate->module ? " " : "");
		buf_add_str(&list, demangler_text(watch_sources_demangler(targets->sources),
						  candidate->name));
		buf_add_str(&list, " at ");
		if (!watch_match_place(candidate, &list))
			list.size -= 4, list.bytes[list.size] = '\0';
	}
	err_set(err, -ENOTUNIQ, "'%s' is %zu functions; name one, or take --all of them: %s%s",
		name, matches->list.count, buf_text(&list),
		matches->list.count > TOLD_FUNCTIONS ? " ..." : "");
	buf_done(&list);
	return -ENOTUNIQ;
}

/* May a probe be there? 1: yes; 0: it is left out. */
static int may_watch(struct turning *turning, const struct watch_candidate *candidate)
{
	struct watch_kernel *kernel;
	const char *why;

	if (!candidate->kernel ||
	    watch_sources_kernel(turning->targets->sources, &kernel, NULL) < 0)
		return 1;
	why = watch_kernel_refusal(kernel, candidate->kernel);
	if (!why && (candidate->kernel->listed || !turning->glob))
		return 1;
	turning->targets->skipped++;
	return turning->glob ? 0
			     : err_set(turning->err, -EPERM, "%s cannot be watched: %s",
				       candidate->name, why);
}

static int add_candidate(struct turning *turning, const struct watch_candidate *candidate)
{
	struct watch_targets *targets = turning->targets;
	const struct watch_word *word = turning->word;
	int rc = may_watch(turning, candidate);

	if (rc <= 0)
		return rc;
	if (targets->options.at_count)
		return add_displacements(turning, candidate);
	if (targets->options.each_block)
		return add_blocks_of(targets, candidate, turning->err);
	if (word->has_displacement)
		return add_instruction(targets, candidate, word->displacement, "", turning->err);
	if (word->has_address && word->address != candidate->address)
		return add_instruction(targets, candidate, word->address - candidate->address, "",
				       turning->err);
	if (is_indirect(candidate) && turning->glob)
		return 0;
	return is_indirect(candidate) ? add_indirect(turning, candidate)
				      : add_function(targets, candidate, turning->err);
}

static int add_matches(struct turning *turning, const struct watch_matches *matches)
{
	size_t before = turning->targets->list.count, skipped = turning->targets->skipped;
	int rc = 0;

	if (matches->list.count > 1 && !turning->glob && !turning->targets->options.all)
		return refuse_ambiguous(turning->targets, matches, turning->word->name,
					turning->err);
	for (size_t i = 0; i < matches->list.count && rc == 0; i++)
		rc = add_candidate(turning, &matches->list.items[i]);
	if (rc == 0 && turning->targets->list.count == before &&
	    turning->targets->skipped - skipped == matches->list.count)
		rc = err_set(turning->err, -EPERM,
			     "none of the %zu functions that fit '%s' can be watched",
			     matches->list.count, turning->word->name);
	return rc;
}

static int add_word(struct watch_targets *targets, const char *text, struct err *err)
{
	struct watch_matches matches = { .aliases = 0 };
	struct watch_word word;
	struct turning turning = { .targets = targets, .word = &word, .err = err };
	int rc = watch_word_parse(text, &word, err);

	if (rc < 0)
		return rc;
	turning.glob = name_pattern_is_glob(word.name);
	if (word.is_file && targets->options.at_line_count == 0)
		rc = err_set(err, -EINVAL, "%s: which function? write %s:NAME, or %s:'*' for all",
			     text, text, text);
	else if (!word.is_file)
		rc = watch_sources_find(targets->sources, &word, &matches, err);
	if (rc == 0 && !word.is_file)
		rc = add_matches(&turning, &matches);
	watch_matches_done(&matches);
	watch_word_done(&word);
	return rc;
}

/* ---- source lines ---- */

static int add_stretch(struct watch_targets *targets, struct watch_image *image, uint64_t address,
		       const char *place, struct err *err)
{
	const struct function_list *list = watch_image_functions(image);
	const struct listed_function *function = function_list_around(list, address);
	const struct watch_candidate candidate = {
		.image = image,
		.module = "",
		.name = function ? function_list_name(list, function->name) : "",
		.address = function ? function->start : address,
		.size = function ? function->size : 0,
		.function = function,
	};
	const struct probe_target target = { .instruction = true,
					     .displacement = address - candidate.address };
	struct buf behind = { 0 };
	int rc;

	buf_printf(&behind, "+0x%lx (%s)", target.displacement, place);
	rc = add_target(targets, &candidate, &target, buf_text(&behind), err);
	buf_done(&behind);
	return rc;
}

static int no_such_line(struct watch_image *image, const struct line_search *search,
			const char *place, struct err *err)
{
	const char *shown = watch_image_shown(image);

	if (search->no_debug)
		return err_set(err, -ENOENT, "%s", line_file_problem(watch_image_lines(image)));
	if (strpool_count(&search->files) <= 1)
		return err_set(err, -ENOENT, "%s: no source file of it has the name in '%s'", shown,
			       place);
	if (search->next)
		return err_set(err, -ENOENT, "%s has no code for %s; the next line that has is %u",
			       shown, place, search->next);
	return err_set(err, -ENOENT, "%s has no code for %s, nor for later lines", shown, place);
}

static int add_line_of(struct watch_targets *targets, struct watch_image *image, const char *place,
		       struct err *err)
{
	_cleanup_free_ char *file = NULL;
	struct line_search search;
	struct buf shown = { 0 };
	uint32_t line;
	int rc = watch_word_line(place, &file, &line, err);

	if (rc < 0)
		return rc;
	line_search_find(watch_image_lines(image), file, line, &search);
	buf_printf(&shown, "%s:%u", file_base(file), line);
	if (search.addresses.count == 0)
		rc = no_such_line(image, &search, place, err);
	for (size_t i = 0; i < search.addresses.count && i < MOST_STRETCHES && rc == 0; i++)
		rc = add_stretch(targets, image, search.addresses.items[i], buf_text(&shown), err);
	line_search_done(&search);
	buf_done(&shown);
	return rc;
}

static int add_lines_of(struct watch_targets *targets, struct watch_image *image, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < targets->options.at_line_count && rc == 0; i++)
		rc = add_line_of(targets, image, targets->options.at_lines[i], err);
	return rc;
}

/* The files whose lines are meant: those that are words, else the module, else the program. */
static int add_lines(struct watch_targets *targets, struct err *err)
{
	const struct watch_target_options *options = &targets->options;
	struct watch_image *image;
	struct watch_word word;
	size_t files = 0;
	int rc = 0;

	for (size_t i = 0; i < options->word_count && rc == 0; i++) {
		if (watch_word_parse(options->words[i], &word, NULL) < 0)
			continue;
		if (word.is_file) {
			files++;
			rc = watch_sources_file(targets->sources, word.file, &image, err);
			if (rc == 0)
				rc = add_lines_of(targets, image, err);
		}
		watch_word_done(&word);
	}
	if (files || rc < 0)
		return rc;
	rc = options->module ? watch_sources_file(targets->sources, options->module, &image, err)
			     : watch_sources_program(targets->sources, &image, err);
	if (rc == -ENOENT && !options->module)
		return err_set(err, -EINVAL,
			       "--at-line: of which program? Name it as ./PROGRAM, or with -p, "
			       "--module or a command");
	return rc < 0 ? rc : add_lines_of(targets, image, err);
}

/* ---- all ---- */

/* How labels that are not the only ones of their kind are made longer. */
enum telling {
	TELLING_PARAMETERS,
	TELLING_ADDRESS,
	TELLING_COUNT,
};

static void add_telling(const struct watch_targets *targets, size_t index, enum telling telling,
			struct buf *label)
{
	const struct watch_candidate *candidate = &targets->made_of.items[index].candidate;
	const struct probe_target *target = &targets->list.items[index];

	watch_sources_label(targets->sources, candidate, true, label);
	if (telling == TELLING_ADDRESS)
		buf_printf(label, " 0x%lx", candidate->address);
	if (target->instruction)
		buf_printf(label, "+0x%lx", target->displacement);
}

/* Functions that are called the same get their parameters into their labels, and where that does
 * not tell them apart, where they are. */
static void tell_apart(struct watch_targets *targets, enum telling telling)
{
	VEC(size_t) counts = { 0 };
	size_t texts = strpool_count(&targets->texts) + 1;

	vec_reserve(&counts, texts);
	memset(counts.items, 0, texts * sizeof(*counts.items));
	for (size_t i = 0; i < targets->made_of.count; i++)
		counts.items[targets->made_of.items[i].label]++;
	for (size_t i = 0; i < targets->made_of.count; i++) {
		struct source_of *source = &targets->made_of.items[i];
		struct buf label = { 0 };

		if (counts.items[source->label] > 1) {
			add_telling(targets, i, telling, &label);
			source->label = strpool_intern(&targets->texts, buf_text(&label));
			targets->list.items[i].label = strpool_get(&targets->texts, source->label);
			buf_done(&label);
		}
	}
	vec_free(&counts);
}

static void add_summary_notes(struct watch_targets *targets)
{
	struct buf note = { 0 };

	if (targets->skipped) {
		buf_printf(&note, "%zu function%s that fit cannot be watched and %s left out",
			   targets->skipped, targets->skipped > 1 ? "s" : "",
			   targets->skipped > 1 ? "were" : "was");
		add_note(targets, &note);
		note = (struct buf){ 0 };
	}
	if (targets->repeated) {
		buf_printf(&note, "%zu of them named the same code again: it is counted once",
			   targets->repeated);
		add_note(targets, &note);
	}
}

static int find_all(struct watch_targets *targets, struct err *err)
{
	const struct watch_target_options *options = &targets->options;
	int rc = 0;

	for (size_t i = 0; i < options->word_count && rc == 0; i++)
		rc = add_word(targets, options->words[i], err);
	if (rc == 0 && options->module && !options->word_count && !options->at_line_count)
		rc = add_word(targets, "*", err);
	if (rc == 0 && options->at_line_count)
		rc = add_lines(targets, err);
	if (rc == 0 && targets->list.count == 0)
		rc = err_set(err, -EINVAL,
			     "what? Name a function: vfs_read, libc.so.6:malloc, "
			     "./server:handle; --list PATTERN finds some");
	return rc;
}

int watch_targets_new(const struct watch_target_options *options,
		      struct watch_targets **ret_targets, struct err *err)
{
	_cleanup_(watch_targets_freep) struct watch_targets *targets = xcalloc(1, sizeof(*targets));
	const struct watch_sources_options sources = {
		.view = { .pid = options->pid, .command = options->command },
		.module = options->module,
		.lines = options->lines,
	};
	int rc;

	targets->options = *options;
	targets->sources = watch_sources_new(&sources);
	rc = find_all(targets, err);
	if (rc < 0)
		return rc;
	for (int telling = 0; telling < TELLING_COUNT; telling++)
		tell_apart(targets, (enum telling)telling);
	add_summary_notes(targets);
	*ret_targets = steal_ptr(targets);
	return 0;
}

void watch_targets_free(struct watch_targets *targets)
{
	if (!targets)
		return;
	for (size_t i = 0; i < targets->blocks.count; i++)
		free(targets->blocks.items[i]);
	vec_free(&targets->blocks);
	vec_free(&targets->list);
	vec_free(&targets->made_of);
	hashidx_done(&targets->index);
	vec_free(&targets->notes);
	strpool_done(&targets->texts);
	watch_sources_free(targets->sources);
	free(targets);
}

const struct probe_target *watch_targets_list(const struct watch_targets *targets,
					      size_t *ret_count)
{
	*ret_count = targets->list.count;
	return targets->list.items;
}

const char *watch_targets_note(const struct watch_targets *targets, size_t index)
{
	return index < targets->notes.count
		       ? strpool_get(&targets->texts, targets->notes.items[index])
		       : NULL;
}
