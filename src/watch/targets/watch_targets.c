/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_targets.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "names/lines/line_search.h"
#include "names/spelling/name_pattern.h"
#include "watch/targets/watch_kernel.h"
#include "watch/targets/watch_match.h"
#include "watch/targets/watch_places.h"
#include "watch/targets/watch_sources.h"
#include "watch/targets/watch_target_list.h"
#include "watch/targets/watch_word.h"

enum {
	TOLD_FUNCTIONS = 8,   /* listed for an ambiguous name */
	MOST_STRETCHES = 256, /* per source line */
};

struct watch_targets {
	struct watch_target_options options;
	struct watch_sources *sources;
	struct watch_target_list all;
	struct watch_places *places; /* NULL: exits are not wanted */
	size_t skipped;		     /* functions of globs that cannot be probed */
};

/* A word that is being resolved to targets. */
struct turning {
	struct watch_targets *targets;
	const struct watch_word *word;
	bool glob;
	struct err *err;
};

/* ---- instructions ---- */

/* Explains that no instruction begins there. If code cannot be read, the kernel decides. */
static int not_a_boundary(struct watch_targets *targets, const struct watch_candidate *candidate,
			  uint64_t displacement, const struct code_step *step, struct err *err)
{
	struct buf label = { 0 };
	uint64_t before = step ? step->address - candidate->address : 0;

	watch_sources_label(targets->sources, candidate, false, &label);
	err_set(err, -EINVAL,
		"%s+0x%lx is inside an instruction: the nearest are +0x%lx and +0x%lx; "
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
			err, -EINVAL, "%s has 0x%lx bytes, so +0x%lx is beyond its end",
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

/* @note: appended to the label. */
static int add_at(struct watch_targets *targets, const struct watch_candidate *candidate,
		  uint64_t displacement, const char *note, struct err *err)
{
	const struct probe_target target = { .instruction = true, .displacement = displacement };
	struct buf suffix = { 0 };
	int rc;

	buf_printf(&suffix, "+0x%lx%s", displacement, note);
	rc = watch_target_list_add(&targets->all, candidate, &target, buf_text(&suffix), err);
	buf_done(&suffix);
	return rc;
}

static int add_instruction(struct watch_targets *targets, const struct watch_candidate *candidate,
			   uint64_t displacement, struct err *err)
{
	int rc = check_boundary(targets, candidate, displacement, err);

	return rc < 0 ? rc : add_at(targets, candidate, displacement, "", err);
}

static int add_displacements(struct turning *turning, const struct watch_candidate *candidate)
{
	struct watch_targets *targets = turning->targets;
	int rc = 0;

	for (size_t i = 0; i < targets->options.at_count && rc == 0; i++) {
		uint64_t displacement;

		rc = watch_word_displacement(targets->options.at[i], &displacement, turning->err);
		if (rc == 0)
			rc = add_instruction(targets, candidate, displacement, turning->err);
	}
	return rc;
}

/* Adds each basic block of a function, by its first instruction. */
static int add_blocks_of(struct watch_targets *targets, const struct watch_candidate *candidate,
			 struct err *err)
{
	struct code_blocks blocks = { .data = false };
	int rc = watch_sources_code(targets->sources, candidate, &blocks, err);

	for (size_t i = 0; i < blocks.list.count && rc == 0; i++)
		rc = add_at(targets, candidate, blocks.list.items[i].start - candidate->address, "",
			    err);
	code_blocks_done(&blocks);
	return rc;
}

/* ---- indirect functions ---- */

/* The symbol of an indirect function (STT_GNU_IFUNC), such as memcpy, is a function that runs once at
 * program start and chooses one of several implementations for this processor. */

typedef VEC(uint64_t) address_vec;

/* Searches the loaded objects for a file. */
struct loaded_search {
	const struct door_file *wanted;
	bool found;
	uint64_t base;
	const char *name; /* borrowed from the loader */
};

static int take_loaded(struct dl_phdr_info *info, size_t size, void *context)
{
	struct loaded_search *search = context;
	struct stat st;

	(void)size;
	if (!info->dlpi_name || !*info->dlpi_name || stat(info->dlpi_name, &st) < 0 ||
	    st.st_ino != search->wanted->inode || st.st_dev != search->wanted->device)
		return 0;
	search->found = true;
	search->base = info->dlpi_addr;
	search->name = info->dlpi_name;
	return 1;
}

/* The ELF address of the implementation that programs on this machine get. It is known only if
 * prospect itself has loaded the file, such as the C library. */
static bool find_chosen(const struct watch_candidate *candidate, uint64_t *ret_address)
{
	struct loaded_search search = { .wanted = watch_image_file(candidate->image) };
	void *handle, *symbol;

	dl_iterate_phdr(take_loaded, &search);
	handle = search.found ? dlopen(search.name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	if (!handle)
		return false;
	symbol = dlsym(handle, candidate->name);
	dlclose(handle);
	if (!symbol || (uint64_t)symbol < search.base)
		return false;
	*ret_address = (uint64_t)symbol - search.base;
	return true;
}

/* "lea 0x1234(%rip),%rax        # 9f2a0 <...>" */
static void take_step(const struct function_list *functions, const char *text, address_vec *choices)
{
	const char *comment = strncmp(text, "lea", 3) == 0 ? strstr(text, "# ") : NULL;
	uint64_t address = comment ? strtoull(comment + 2, NULL, 16) : 0;

	if (!address || function_list_find(functions, address) == function_list_count(functions))
		return;
	for (size_t i = 0; i < choices->count; i++) {
		if (choices->items[i] == address)
			return;
	}
	*vec_push(choices) = address;
}

/* Appends the functions that the code may choose: those whose address it takes. x86 only. */
static void find_choices(const struct watch_candidate *candidate, address_vec *choices)
{
	const struct function_list *functions = watch_image_functions(candidate->image);
	struct code_blocks blocks = { .data = false };

	if (watch_image_code(candidate->image, candidate->address,
			     candidate->address + candidate->size, &blocks, NULL) == 0) {
		for (size_t i = 0; i < blocks.steps.count; i++)
			take_step(functions, code_blocks_text(&blocks, &blocks.steps.items[i]),
				  choices);
	}
	code_blocks_done(&blocks);
}

static void note_indirect(struct watch_targets *targets, const struct watch_candidate *candidate,
			  const char *what, const address_vec *addresses)
{
	struct buf note = { 0 };

	buf_printf(&note, "%s:%s is an indirect function (IFUNC): %s",
		   watch_image_shown(candidate->image), candidate->name, what);
	for (size_t i = 0; i < addresses->count; i++) {
		const char *name = watch_match_at(candidate->image, addresses->items[i]).name;

		buf_printf(&note, "%s %s", i ? "," : "", *name ? name : "?");
	}
	watch_target_list_note(&targets->all, &note);
}

static int add_indirect(struct turning *turning, const struct watch_candidate *candidate)
{
	struct watch_targets *targets = turning->targets;
	address_vec addresses = { 0 };
	uint64_t chosen;
	int rc = 0;

	if (find_chosen(candidate, &chosen)) {
		*vec_push(&addresses) = chosen;
		note_indirect(targets, candidate,
			      "watching the one that programs get here:", &addresses);
	} else {
		find_choices(candidate, &addresses);
		note_indirect(
			targets, candidate,
			"the choice is made when a program starts; watching all of:", &addresses);
	}
	if (addresses.count == 0)
		rc = err_set(turning->err, -ENOENT,
			     "%s:%s is an indirect function (IFUNC) and its targets are not known: "
			     "name an implementation",
			     watch_image_shown(candidate->image), candidate->name);
	for (size_t i = 0; i < addresses.count && rc == 0; i++) {
		struct watch_candidate chosen_one =
			watch_match_at(candidate->image, addresses.items[i]);

		chosen_one.address = addresses.items[i];
		rc = watch_target_list_add_function(&targets->all, &chosen_one, turning->err);
	}
	vec_free(&addresses);
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
	err_set(err, -ENOTUNIQ, "'%s' matches %zu functions; name one, or use --all: %s%s", name,
		matches->list.count, buf_text(&list),
		matches->list.count > TOLD_FUNCTIONS ? " ..." : "");
	buf_done(&list);
	return -ENOTUNIQ;
}

/* 1: a probe is allowed; 0: skip the function; negative: refuse it. */
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
		return add_instruction(targets, candidate, word->displacement, turning->err);
	if (word->has_address && word->address != candidate->address)
		return add_instruction(targets, candidate, word->address - candidate->address,
				       turning->err);
	if (is_indirect(candidate) && turning->glob)
		return 0;
	return is_indirect(candidate)
		       ? add_indirect(turning, candidate)
		       : watch_target_list_add_function(&targets->all, candidate, turning->err);
}

static int add_matches(struct turning *turning, const struct watch_matches *matches)
{
	static const char act[] = "examining functions";
	const struct watch_target_options *options = &turning->targets->options;
	size_t before = turning->targets->all.list.count, skipped = turning->targets->skipped;
	int rc = 0;

	if (matches->list.count > 1 && !turning->glob && !options->all)
		return refuse_ambiguous(turning->targets, matches, turning->word->name,
					turning->err);
	for (size_t i = 0; i < matches->list.count && rc == 0; i++) {
		rc = add_candidate(turning, &matches->list.items[i]);
		if (options->tell)
			options->tell(options->context, act, i + 1, matches->list.count);
	}
	if (rc == 0 && turning->targets->all.list.count == before &&
	    turning->targets->skipped - skipped == matches->list.count)
		rc = err_set(turning->err, -EPERM,
			     "none of the %zu functions that match '%s' can be watched",
			     matches->list.count, turning->word->name);
	return rc;
}

static int add_word(struct watch_targets *targets, const char *text, struct err *err)
{
	struct watch_matches matches = { .aliases = 0 };
	struct watch_word word;
	struct turning turning = { .targets = targets, .word = &word, .err = err };
	int rc = watch_word_parse(targets->options.foreign, text, &word, err);

	if (rc < 0)
		return rc;
	turning.glob = name_pattern_is_glob(word.name);
	if (word.is_file && targets->options.at_line_count == 0)
		rc = err_set(err, -EINVAL,
			     "%s: no function given: write %s:NAME, or %s:'*' for all", text, text,
			     text);
	else if (!word.is_file)
		rc = watch_sources_find(targets->sources, &word, &matches, err);
	if (rc == 0 && !word.is_file)
		rc = add_matches(&turning, &matches);
	watch_matches_done(&matches);
	watch_word_done(&word);
	return rc;
}

/* ---- source lines ---- */

static int no_such_line(struct watch_image *image, const struct line_search *search,
			const char *place, struct err *err)
{
	const char *shown = watch_image_shown(image);

	if (search->no_debug)
		return err_set(err, -ENOENT, "%s", line_file_problem(watch_image_lines(image)));
	if (strpool_count(&search->files) <= 1)
		return err_set(err, -ENOENT, "%s: no source file matches '%s'", shown, place);
	if (search->next)
		return err_set(err, -ENOENT, "%s has no code for %s; the next line with code is %u",
			       shown, place, search->next);
	return err_set(err, -ENOENT, "%s has no code for %s or any later line", shown, place);
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
	buf_printf(&shown, " (%s:%u)", file_base(file), line);
	if (search.addresses.count == 0)
		rc = no_such_line(image, &search, place, err);
	for (size_t i = 0; i < search.addresses.count && i < MOST_STRETCHES && rc == 0; i++) {
		uint64_t address = search.addresses.items[i];
		const struct watch_candidate candidate = watch_match_at(image, address);

		rc = add_at(targets, &candidate, address - candidate.address, buf_text(&shown),
			    err);
	}
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

/* Adds each stretch of code of the lines of --at-line, in the files given as words, else in
 * --module, else in the program. */
static int add_lines(struct watch_targets *targets, struct err *err)
{
	const struct watch_target_options *options = &targets->options;
	struct watch_image *image;
	struct watch_word word;
	size_t files = 0;
	int rc = 0;

	for (size_t i = 0; i < options->word_count && rc == 0; i++) {
		if (watch_word_parse(options->foreign, options->words[i], &word, NULL) < 0)
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
			       "--at-line: no program given: name it as ./PROGRAM, or use -p, "
			       "--module or a command");
	return rc < 0 ? rc : add_lines_of(targets, image, err);
}

/* ---- all ---- */

static void add_summary_notes(struct watch_targets *targets)
{
	struct buf note = { 0 };

	if (targets->skipped) {
		buf_printf(&note, "%zu matching function%s cannot be watched and %s left out",
			   targets->skipped, targets->skipped > 1 ? "s" : "",
			   targets->skipped > 1 ? "were" : "was");
		watch_target_list_note(&targets->all, &note);
		note = (struct buf){ 0 };
	}
	if (targets->all.repeated) {
		buf_printf(&note, "%zu more name%s for the same code, which is counted once",
			   targets->all.repeated, targets->all.repeated > 1 ? "s" : "");
		watch_target_list_note(&targets->all, &note);
	}
}

static void add_go_note(struct watch_targets *targets)
{
	struct buf note = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < targets->all.list.count; i++)
		count += targets->all.list.items[i].go != 0;
	if (count == 0 || !targets->options.exits)
		return;
	buf_printf(&note,
		   "%zu Go %s: goroutines move between threads, so the CPU time and counters of "
		   "their calls are not known",
		   count, count > 1 ? "functions" : "function");
	watch_target_list_note(&targets->all, &note);
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
	if (rc == 0 && targets->all.list.count == 0)
		rc = err_set(err, -EINVAL,
			     "no function given: name one, e.g. vfs_read, libc.so.6:malloc or "
			     "./server:handle; --list PATTERN finds some");
	return rc;
}

int watch_targets_new(const struct watch_target_options *options,
		      struct watch_targets **ret_targets, struct err *err)
{
	_cleanup_(watch_targets_freep) struct watch_targets *targets = xcalloc(1, sizeof(*targets));
	int rc;

	targets->options = *options;
	targets->sources = watch_sources_new(options);
	targets->all.sources = targets->sources;
	targets->all.exits = options->exits;
	targets->all.returns = options->returns;
	rc = find_all(targets, err);
	if (rc < 0)
		return rc;
	watch_target_list_tell_apart(&targets->all);
	add_summary_notes(targets);
	add_go_note(targets);
	if (options->exits)
		targets->places = watch_places_new(&targets->all, options);
	*ret_targets = steal_ptr(targets);
	return 0;
}

void watch_targets_free(struct watch_targets *targets)
{
	if (!targets)
		return;
	watch_places_free(targets->places);
	watch_target_list_done(&targets->all);
	watch_sources_free(targets->sources);
	free(targets);
}

void watch_targets_give(const struct watch_targets *targets, struct probe_options *probes)
{
	probes->targets = targets->all.list.items;
	probes->target_count = targets->all.list.count;
	if (targets->places)
		watch_places_give(targets->places, probes);
}

const char *watch_targets_note(const struct watch_targets *targets, size_t index)
{
	return index < targets->all.notes.count
		       ? strpool_get(&targets->all.texts, targets->all.notes.items[index])
		       : NULL;
}
