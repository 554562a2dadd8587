/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/account/completeness.h"

#include <stdlib.h>
#include <string.h>

#include "aggregate/account/account.h"
#include "base/cleanup.h"
#include "base/compare.h"
#include "base/file.h"
#include "base/hashidx.h"
#include "base/xalloc.h"
#include "model/words.h"

/*
 * How to fix cut stacks, by program. A stack's root says why it is cut; for some run-time systems a
 * fix is known. A process belongs to such a system if any of its stacks leads through its library,
 * whatever the program's name. Columns:
 * - end: how the stack ends
 * - image: kind of the image it ends in (IMAGE_KIND_COUNT: any)
 * - file: how the base name of a file in the process begins (NULL: any process)
 * - why: explanation
 * - fix: what would make the stacks complete (NULL: unknown)
 */
struct rule {
	enum stack_end end;
	enum image_kind image;
	const char *file, *why, *fix;
	bool any_state; /* else only files that were not read in time */
};

#define TEXT_OF(number)	 #number
#define EXPANDED(number) TEXT_OF(number)
#define MOST_DEPTH	 EXPANDED(STACK_MOST_USER_FRAMES)
#define JIT		 "end in JIT code without frame pointers"

/* The first match counts. */
static const struct rule rules[] = {
	{ STACK_NO_ROWS, IMAGE_ANON, "libjvm.so", JIT, "java -XX:+PreserveFramePointer", true },
	{ STACK_NO_ROWS, IMAGE_ANON, "libruby", JIT, "ruby --yjit-perf", true },
	{ STACK_NO_ROWS, IMAGE_ANON, "beam.smp", JIT, "erl +JPperf true", true },
	{ STACK_NO_ROWS, IMAGE_ANON, NULL, JIT, NULL, true },
	{ STACK_NO_ROWS, IMAGE_FILE, NULL, "end in a file that was not read in time", NULL, false },
	{ STACK_NO_ROWS, IMAGE_FILE, NULL, "end in a file without unwind tables",
	  "build it with them (C: -fasynchronous-unwind-tables)", true },
	{ STACK_TOO_DEEP, IMAGE_KIND_COUNT, NULL, "are deeper than the recording's limit",
	  "--max-depth, up to " MOST_DEPTH, true },
};

/* Replaces the rule if the stack already has as many frames as can be kept. */
static const struct rule deepest = {
	STACK_TOO_DEEP, IMAGE_KIND_COUNT,
	NULL,		"are deeper than " MOST_DEPTH " frames, the maximum",
	NULL,		true
};

enum {
	RULES = sizeof(rules) / sizeof(rules[0]),
	LEAST_PERCENT = 5, /* of a program's stacks */
};

/* What is known while the stacks of one event are added up. */
struct study {
	const struct profile *profile;
	struct completeness *made;
	bool imported;
	const char **runtimes;	 /* by process: the `file` of a rule; NULL: none */
	uint64_t *samples;	 /* by process, with a user part */
	struct hashidx remedies; /* of made->remedies, by program and rule */
	struct hashidx images;	 /* of made->images */
};

/* ---- run-time systems ---- */

static const char *runtime_of(const struct profile *profile, const struct image *image)
{
	const char *name = file_base(profile_text(profile, image->path));

	for (size_t i = 0; image->kind == IMAGE_FILE && i < RULES; i++) {
		const char *file = rules[i].file;

		if (file && strncmp(name, file, strlen(file)) == 0)
			return file;
	}
	return NULL;
}

/* By image: the `file` of a rule; NULL: none. */
static const char **runtimes_of_images(const struct profile *profile)
{
	const char **found = xcalloc(profile->images.count + 1, sizeof(*found));

	for (size_t i = 0; i < profile->images.count; i++)
		found[i] = runtime_of(profile, &profile->images.items[i]);
	return found;
}

/* The same by node of the trie, in which parents come before their children. */
static const char **runtimes_of_stacks(const struct profile *profile)
{
	const char **of_image = runtimes_of_images(profile);
	const char **found = xcalloc(profile->stacks.count + 1, sizeof(*found));

	for (size_t i = 1; i < profile->stacks.count; i++) {
		const struct stack_node *node = &profile->stacks.items[i];
		const char *own = of_image[profile->frames.items[node->frame].image];

		found[i] = own ? own : found[node->parent];
	}
	free(of_image);
	return found;
}

/* By process. @totals: all of the profile. */
static const char **runtimes_of_processes(const struct profile *profile, const struct total *totals,
					  size_t count)
{
	const char **of_stack = runtimes_of_stacks(profile);
	const char **found = xcalloc(profile->processes.count + 1, sizeof(*found));

	for (size_t i = 0; i < count; i++) {
		const char *own = of_stack[totals[i].stack];

		if (own)
			found[profile->tasks.items[totals[i].task].process] = own;
	}
	free(of_stack);
	return found;
}

/* ---- remedies ---- */

static bool fits(const struct rule *rule, enum stack_end end, enum image_kind kind, bool late,
		 const char *runtime)
{
	return rule->end == end && (late || rule->any_state) &&
	       (rule->image == kind || rule->image == IMAGE_KIND_COUNT) &&
	       (!rule->file || rule->file == runtime);
}

/* Inlined functions have their own frames at the place of the function they are in. */
static bool is_same_place(const struct frame *a, const struct frame *b)
{
	return a != b && a->image == b->image && a->offset == b->offset && a->kind == b->kind;
}

static bool is_user_code(enum image_kind kind)
{
	return kind == IMAGE_FILE || kind == IMAGE_ANON || kind == IMAGE_VDSO ||
	       kind == IMAGE_BUCKET;
}

/* True if the stack has as many user frames as can be kept. */
static bool is_deepest(const struct profile *profile, uint32_t stack)
{
	const struct frame *inner = NULL; /* the last one counted */
	size_t count = 0;

	while (stack && count < STACK_MOST_USER_FRAMES) {
		const struct stack_node *node = &profile->stacks.items[stack];
		const struct frame *frame = &profile->frames.items[node->frame];

		if (is_user_code(profile->images.items[frame->image].kind) &&
		    !(inner && is_same_place(inner, frame))) {
			count++;
			inner = frame;
		}
		stack = node->parent;
	}
	return count == STACK_MOST_USER_FRAMES;
}

DEFINE_EQUAL(remedy_equal, struct completeness, remedies.items, struct remedy,
	     a->program == b->program && a->why == b->why && a->fix == b->fix)

static struct remedy *find_remedy(struct study *study, str_id program, const struct rule *rule)
{
	const struct remedy wanted = { .program = program, .why = rule->why, .fix = rule->fix };
	uint64_t hash = hash_combine(hash_u64(program), hash_u64((uintptr_t)rule));
	struct completeness *made = study->made;
	uint32_t id = (uint32_t)made->remedies.count;

	if (!hashidx_find(&study->remedies, hash, remedy_equal, made, &wanted, &id)) {
		hashidx_add(&study->remedies, hash, id);
		*vec_push(&made->remedies) = wanted;
	}
	return &made->remedies.items[id];
}

/* Adds a total, whose stack ends with @end; complete stacks count too. @image: of its outermost
 * frame; 0: no frame. */
static void add_remedy(struct study *study, const struct total *total, enum stack_end end,
		       uint32_t image)
{
	const struct profile *profile = study->profile;
	uint32_t process = profile->tasks.items[total->task].process;
	enum image_kind kind = image ? profile->images.items[image].kind : IMAGE_KIND_COUNT;
	bool late = image && profile->images.items[image].state == IMAGE_STATE_LATE;
	const struct rule *rule;

	study->samples[process] += total->samples;
	/* The depth of an import's stacks was chosen in another tool. */
	if (end == STACK_TOO_DEEP && study->imported)
		return;
	for (size_t i = 0; i < RULES; i++) {
		if (!fits(&rules[i], end, kind, late, study->runtimes[process]))
			continue;
		rule = &rules[i];
		if (end == STACK_TOO_DEEP && is_deepest(profile, total->stack))
			rule = &deepest;
		find_remedy(study, profile->processes.items[process].program, rule)->samples +=
			total->samples;
		return;
	}
}

static int more_samples(const void *left, const void *right, void *context)
{
	const struct remedy *a = left, *b = right;
	const struct profile *profile = context;

	return COMPARE(b->samples, a->samples) ?:
	       strcmp(profile_text(profile, a->program), profile_text(profile, b->program)) ?:
	       strcmp(a->why, b->why);
}

/* Leaves out what concerns only a few of a program's stacks: hand-written assembler code is
 * everywhere. */
static void settle_remedies(struct study *study)
{
	const struct profile *profile = study->profile;
	struct completeness *made = study->made;
	_cleanup_free_ uint64_t *of_program =
		xcalloc(strpool_count(&profile->strings) + 1, sizeof(*of_program));
	size_t kept = 0;

	for (size_t i = 0; i < profile->processes.count; i++)
		of_program[profile->processes.items[i].program] += study->samples[i];
	for (size_t i = 0; i < made->remedies.count; i++) {
		struct remedy row = made->remedies.items[i];

		row.whole = of_program[row.program];
		if (row.samples * 100 >= row.whole * LEAST_PERCENT)
			made->remedies.items[kept++] = row;
	}
	made->remedies.count = kept;
	if (kept)
		qsort_r(made->remedies.items, kept, sizeof(*made->remedies.items), more_samples,
			(void *)(uintptr_t)profile);
}

/* ---- where stacks end ---- */

/* How a stack ends, from its outermost frames. */
struct outermost {
	enum stack_end end;
	uint32_t image; /* of the frame just inside the one that stands for the end */
};

/* By node of the trie, in which parents come before their children. The caller frees it. */
static struct outermost *outermost_of_all(const struct profile *profile)
{
	const struct stack_node *nodes = profile->stacks.items;
	struct outermost *all = xcalloc(profile->stacks.count, sizeof(*all));

	for (size_t id = 1; id < profile->stacks.count; id++) {
		uint32_t parent = nodes[id].parent;

		if (!parent)
			all[id].end = profile_stack_end(profile, (uint32_t)id);
		else
			all[id] = all[parent];
		if (parent && !nodes[parent].parent)
			all[id].image = profile->frames.items[nodes[id].frame].image;
	}
	return all;
}

static bool has_user_part(const struct profile *profile, const struct total *total)
{
	uint32_t id = profile->tasks.items[total->task].process;
	const struct process *process = &profile->processes.items[id];

	return !process->kernel_thread && process->pid != 0;
}

DEFINE_EQUAL(image_equal, struct completeness, images.items, struct outermost,
	     a->image == b->image && a->end == b->end)

static void add_broken(struct study *study, const struct outermost *outermost,
		       const struct total *total)
{
	uint64_t hash = hash_combine(hash_u64(outermost->image), outermost->end);
	struct completeness *made = study->made;
	uint32_t id = (uint32_t)made->images.count;

	if (!hashidx_find(&study->images, hash, image_equal, made, outermost, &id)) {
		hashidx_add(&study->images, hash, id);
		*vec_push(&made->images) =
			(struct broken_image){ .image = outermost->image, .end = outermost->end };
	}
	hits_add(&made->images.items[id].hits, &(struct hits){ total->samples, total->weight });
}

DEFINE_ORDER(heavier, struct broken_image,
	     COMPARE(b->hits.samples, a->hits.samples) ?: COMPARE(a->image, b->image) ?:
	     COMPARE(a->end, b->end))

static bool is_recorded(const char *stacks)
{
	return stacks && *stacks && strcmp(stacks, "none") != 0;
}

bool completeness_is_apart(enum stack_end end)
{
	return end == STACK_IN_EXEC || end == STACK_GONE;
}

static void add(struct study *study, const struct total *total, const struct outermost *here)
{
	struct completeness *made = study->made;
	bool apart = completeness_is_apart(here->end);
	struct hits hits = { total->samples, total->weight };

	hits_add(&made->ends[here->end], &hits);
	hits_add(apart ? &made->apart : &made->whole, &hits);
	if (apart)
		return;
	add_remedy(study, total, here->end, here->image);
	if (here->end != STACK_COMPLETE)
		add_broken(study, here, total);
}

void completeness_make(const struct profile *profile, const struct total *totals, size_t count,
		       uint8_t event, struct completeness *ret_completeness)
{
	struct completeness *made = ret_completeness;
	struct study study = { .profile = profile, .made = made };
	struct outermost *outermost;

	*made = (struct completeness){ .recorded = is_recorded(profile->run.stacks) };
	if (!made->recorded)
		return;
	outermost = outermost_of_all(profile);
	study.imported = account_is_import(profile);
	study.runtimes = runtimes_of_processes(profile, totals, count);
	study.samples = xcalloc(profile->processes.count + 1, sizeof(*study.samples));
	for (size_t i = 0; i < count; i++) {
		if (totals[i].event == event && has_user_part(profile, &totals[i]))
			add(&study, &totals[i], &outermost[totals[i].stack]);
	}
	if (made->images.count)
		qsort(made->images.items, made->images.count, sizeof(*made->images.items), heavier);
	settle_remedies(&study);
	hashidx_done(&study.images);
	hashidx_done(&study.remedies);
	free(study.runtimes);
	free(study.samples);
	free(outermost);
}

void completeness_done(struct completeness *completeness)
{
	vec_free(&completeness->images);
	vec_free(&completeness->remedies);
}

double completeness_percent(const struct completeness *completeness, enum stack_end end)
{
	uint64_t whole = completeness->whole.samples;

	return whole ? 100.0 * (double)completeness->ends[end].samples / (double)whole : 0;
}
