/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/account/remedies.h"

#include <stdlib.h>
#include <string.h>

#include "aggregate/account/account.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "model/words.h"

/* Columns:
 * - end: how the stack ends
 * - image: kind of the image it ends in (IMAGE_KIND_COUNT: any)
 * - file: how the base name of a file in the process begins (NULL: any process)
 * - why: explanation
 * - fix: what would make the stacks complete (NULL: unknown) */
struct rule {
	enum stack_end end;
	enum image_kind image;
	const char *file, *why, *fix;
	bool any_state; /* else only files that were not read in time */
};

#define TEXT_OF(number)	 #number
#define EXPANDED(number) TEXT_OF(number)
#define MOST_DEPTH	 EXPANDED(STACK_MOST_USER_FRAMES)
#define MADE		 "end in JIT code without frame pointers"

/* The first match counts. */
static const struct rule rules[] = {
	{ STACK_NO_ROWS, IMAGE_ANON, "libjvm.so", MADE, "java -XX:+PreserveFramePointer", true },
	{ STACK_NO_ROWS, IMAGE_ANON, "libruby", MADE, "ruby --yjit-perf", true },
	{ STACK_NO_ROWS, IMAGE_ANON, "beam.smp", MADE, "erl +JPperf true", true },
	{ STACK_NO_ROWS, IMAGE_ANON, NULL, MADE, NULL, true },
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

struct runtimes {
	const struct profile *profile;
	bool imported;
	const char **of_process; /* the `file` of a rule; NULL: none */
	uint64_t *samples;	 /* by process, of everything added */
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

struct runtimes *runtimes_find(const struct profile *profile, const struct total *totals,
			       size_t count)
{
	struct runtimes *runtimes = xcalloc(1, sizeof(*runtimes));
	const char **of_stack = runtimes_of_stacks(profile);

	runtimes->profile = profile;
	runtimes->imported = account_is_import(profile);
	runtimes->of_process = xcalloc(profile->processes.count + 1, sizeof(*runtimes->of_process));
	runtimes->samples = xcalloc(profile->processes.count + 1, sizeof(*runtimes->samples));
	for (size_t i = 0; i < count; i++) {
		const char *found = of_stack[totals[i].stack];

		if (found)
			runtimes->of_process[profile->tasks.items[totals[i].task].process] = found;
	}
	free(of_stack);
	return runtimes;
}

void runtimes_free(struct runtimes *runtimes)
{
	if (!runtimes)
		return;
	free(runtimes->of_process);
	free(runtimes->samples);
	free(runtimes);
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

static bool remedy_equal(const void *owner, uint32_t id, const void *key)
{
	const struct remedy *row = &((const struct remedies *)owner)->list.items[id];
	const struct remedy *wanted = key;

	return row->program == wanted->program && row->why == wanted->why &&
	       row->fix == wanted->fix;
}

static struct remedy *find(struct remedies *remedies, str_id program, const struct rule *rule)
{
	const struct remedy wanted = { .program = program, .why = rule->why, .fix = rule->fix };
	uint64_t hash = hash_combine(hash_u64(program), hash_u64((uintptr_t)rule));
	struct remedy *row;
	uint32_t id;

	if (hashidx_find(&remedies->index, hash, remedy_equal, remedies, &wanted, &id))
		return &remedies->list.items[id];
	hashidx_add(&remedies->index, hash, (uint32_t)remedies->list.count);
	row = vec_push(&remedies->list);
	*row = wanted;
	return row;
}

void remedies_add(struct remedies *remedies, struct runtimes *runtimes, const struct total *total,
		  enum stack_end end, uint32_t image)
{
	const struct profile *profile = runtimes->profile;
	uint32_t process = profile->tasks.items[total->task].process;
	enum image_kind kind = image ? profile->images.items[image].kind : IMAGE_KIND_COUNT;
	bool late = image && profile->images.items[image].state == IMAGE_STATE_LATE;
	const struct rule *rule;

	runtimes->samples[process] += total->samples;
	/* The depth of an import's stacks was chosen in another tool. */
	if (end == STACK_TOO_DEEP && runtimes->imported)
		return;
	for (size_t i = 0; i < RULES; i++) {
		if (!fits(&rules[i], end, kind, late, runtimes->of_process[process]))
			continue;
		rule = &rules[i];
		if (end == STACK_TOO_DEEP && is_deepest(profile, total->stack))
			rule = &deepest;
		find(remedies, profile->processes.items[process].program, rule)->samples +=
			total->samples;
		return;
	}
}

static int more_samples(const void *left, const void *right, void *context)
{
	const struct remedy *a = left, *b = right;
	const struct profile *profile = context;
	int order;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	order = strcmp(profile_text(profile, a->program), profile_text(profile, b->program));
	return order ? order : strcmp(a->why, b->why);
}

/* By program. The caller frees them. */
static uint64_t *samples_of_programs(const struct runtimes *runtimes)
{
	const struct profile *profile = runtimes->profile;
	uint64_t *sums = xcalloc(strpool_count(&profile->strings) + 1, sizeof(*sums));

	for (size_t i = 0; i < profile->processes.count; i++)
		sums[profile->processes.items[i].program] += runtimes->samples[i];
	return sums;
}

void remedies_settle(struct remedies *remedies, const struct runtimes *runtimes)
{
	_cleanup_free_ uint64_t *samples = samples_of_programs(runtimes);
	size_t kept = 0;

	hashidx_done(&remedies->index);
	for (size_t i = 0; i < remedies->list.count; i++) {
		struct remedy row = remedies->list.items[i];

		row.whole = samples[row.program];
		if (row.samples * 100 >= row.whole * LEAST_PERCENT)
			remedies->list.items[kept++] = row;
	}
	remedies->list.count = kept;
	if (kept)
		qsort_r(remedies->list.items, kept, sizeof(*remedies->list.items), more_samples,
			(void *)(uintptr_t)runtimes->profile);
}

void remedies_done(struct remedies *remedies)
{
	hashidx_done(&remedies->index);
	vec_free(&remedies->list);
}
