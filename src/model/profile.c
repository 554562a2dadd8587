/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xalloc.h"

struct profile *profile_new(void)
{
	struct profile *profile = xcalloc(1, sizeof(*profile));

	strpool_intern(&profile->strings, "");
	*vec_push(&profile->images) = (struct image){ .kind = IMAGE_BUCKET };
	*vec_push(&profile->processes) = (struct process){ 0 };
	*vec_push(&profile->tasks) = (struct task){ 0 };
	*vec_push(&profile->symbols) = (struct symbol){ .kind = SYMBOL_NONE };
	*vec_push(&profile->frames) = (struct frame){ 0 };
	*vec_push(&profile->stacks) = (struct stack_node){ 0 };
	*vec_push(&profile->codes) = (struct kept_code){ 0 };
	*vec_push(&profile->lines) = (struct source_line){ 0 };
	return profile;
}

static void free_texts(struct run_facts *run)
{
#define FREE_TEXT(name) free(run->name);
#define FREE_NUMBER(name)
#define FREE_FACT(type, name, merge) FREE_##type(name)
	RUN_FACTS(FREE_FACT)
#undef FREE_FACT
#undef FREE_TEXT
#undef FREE_NUMBER
}

void profile_forget_stacks(struct profile *profile)
{
	vec_free(&profile->stacks);
	hashidx_done(&profile->stack_index);
}

static void branches_done(struct branches *branches)
{
	vec_free(&branches->list);
	hashidx_done(&branches->index);
}

void profile_forget_rows(struct profile *profile)
{
	profile_forget_stacks(profile);
	vec_free(&profile->images);
	vec_free(&profile->processes);
	vec_free(&profile->process_holes.emptied);
	vec_free(&profile->tasks);
	vec_free(&profile->task_holes.emptied);
	vec_free(&profile->symbols);
	vec_free(&profile->frames);
	branches_done(&profile->branches);
	for (size_t i = 0; i < profile->codes.count; i++)
		free(profile->codes.items[i].bytes);
	vec_free(&profile->codes);
	vec_free(&profile->lines);
	vec_free(&profile->cpu_times);
	vec_free(&profile->marks);
	hashidx_done(&profile->image_index);
	hashidx_done(&profile->task_index);
	hashidx_done(&profile->symbol_index);
	hashidx_done(&profile->frame_index);
	hashidx_done(&profile->line_index);
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	profile_forget_rows(profile);
	strpool_done(&profile->strings);
	free_texts(&profile->run);
	free(profile);
}

static uint64_t image_hash(const struct image *image)
{
	uint64_t hash = hash_bytes(image->build_id, image->build_id_size);

	hash = hash_combine(hash, image->path);
	hash = hash_combine(hash, image->kind);
	hash = hash_combine(hash, image->dev);
	hash = hash_combine(hash, image->inode);
	hash = hash_combine(hash, image->size);
	return hash_combine(hash, (uint64_t)image->mtime_ns);
}

DEFINE_EQUAL(image_equal, struct profile, images.items, struct image,
	     a->kind == b->kind && a->path == b->path && a->dev == b->dev && a->inode == b->inode &&
		     a->size == b->size && a->mtime_ns == b->mtime_ns &&
		     a->build_id_size == b->build_id_size &&
		     memcmp(a->build_id, b->build_id, a->build_id_size) == 0)

static uint64_t task_hash(const struct task *task)
{
	return hash_combine(hash_combine(hash_u64(task->process), (uint32_t)task->tid), task->comm);
}

DEFINE_EQUAL(task_equal, struct profile, tasks.items, struct task,
	     a->process == b->process && a->tid == b->tid && a->comm == b->comm)

static uint64_t symbol_hash(const struct symbol *symbol)
{
	return hash_combine(
		hash_combine(hash_combine(hash_u64(symbol->image), symbol->start), symbol->name),
		symbol->kind);
}

DEFINE_EQUAL(symbol_equal, struct profile, symbols.items, struct symbol,
	     a->image == b->image && a->start == b->start && a->name == b->name &&
		     a->kind == b->kind)

static uint64_t frame_hash(const struct frame *frame)
{
	return hash_combine(hash_combine(hash_u64(frame->image), frame->offset), frame->kind);
}

DEFINE_EQUAL(frame_equal, struct profile, frames.items, struct frame,
	     a->image == b->image && a->offset == b->offset && a->kind == b->kind)

static uint64_t stack_hash(const struct stack_node *node)
{
	return hash_combine(hash_u64(node->parent), node->frame);
}

DEFINE_EQUAL(stack_equal, struct profile, stacks.items, struct stack_node,
	     a->parent == b->parent && a->frame == b->frame)

static uint64_t line_hash(const struct source_line *line)
{
	return hash_combine(hash_u64(line->start), line->image);
}

DEFINE_EQUAL(line_equal, struct profile, lines.items, struct source_line,
	     a->image == b->image && a->start == b->start)

/* Finds *key in a dictionary of the profile or appends it. */
#define DEFINE_INTERN(word, list, type)                                                          \
	static uint32_t intern_##word(struct profile *profile, const type *key)                  \
	{                                                                                        \
		uint64_t hash = word##_hash(key);                                                \
		uint32_t id;                                                                     \
                                                                                                 \
		if (hashidx_find(&profile->word##_index, hash, word##_equal, profile, key, &id)) \
			return id;                                                               \
		id = (uint32_t)profile->list.count;                                              \
		*vec_push(&profile->list) = *key;                                                \
		hashidx_add(&profile->word##_index, hash, id);                                   \
		return id;                                                                       \
	}

DEFINE_INTERN(image, images, struct image)
DEFINE_INTERN(task, tasks, struct task)
DEFINE_INTERN(symbol, symbols, struct symbol)
DEFINE_INTERN(frame, frames, struct frame)
DEFINE_INTERN(stack, stacks, struct stack_node)
DEFINE_INTERN(line, lines, struct source_line)

uint32_t profile_image(struct profile *profile, const struct image *key)
{
	return intern_image(profile, key);
}

uint32_t profile_task(struct profile *profile, const struct task *key)
{
	return intern_task(profile, key);
}

uint32_t profile_symbol(struct profile *profile, const struct symbol *key)
{
	return intern_symbol(profile, key);
}

void profile_index_symbols(struct profile *profile)
{
	for (uint32_t id = 1; id < profile->symbols.count; id++) {
		const struct symbol *symbol = &profile->symbols.items[id];
		uint64_t hash = symbol_hash(symbol);
		uint32_t known;

		if (!hashidx_find(&profile->symbol_index, hash, symbol_equal, profile, symbol,
				  &known))
			hashidx_add(&profile->symbol_index, hash, id);
	}
}

uint32_t profile_frame(struct profile *profile, const struct frame *key)
{
	return intern_frame(profile, key);
}

uint32_t profile_stack(struct profile *profile, uint32_t parent, uint32_t frame)
{
	struct stack_node node = { .parent = parent,
				   .frame = frame,
				   .depth = profile->stacks.items[parent].depth + 1 };

	return intern_stack(profile, &node);
}

uint32_t profile_line(struct profile *profile, const struct source_line *key)
{
	return intern_line(profile, key);
}

uint32_t profile_add_process(struct profile *profile, const struct process *process)
{
	uint32_t id = (uint32_t)profile->processes.count;

	*vec_push(&profile->processes) = *process;
	return id;
}

static bool is_empty_process(const struct process *process)
{
	return !process->pid && !process->program && !process->start_ns;
}

static bool is_empty_task(const struct task *task)
{
	return !task->process && !task->tid && !task->comm;
}

/* The index cannot remove an entry, so it is built anew. */
static void index_tasks(struct profile *profile)
{
	const struct vec_holes *holes = &profile->task_holes;

	hashidx_done(&profile->task_index);
	for (size_t id = vec_after_hole(holes, 0); id < profile->tasks.count;
	     id = vec_after_hole(holes, id + 1)) {
		const struct task *task = &profile->tasks.items[id];

		if (!is_empty_task(task))
			hashidx_add(&profile->task_index, task_hash(task), (uint32_t)id);
	}
}

/* Those of empty processes. The rows of these must not have been released yet. */
static void forget_tasks(struct profile *profile)
{
	struct vec_holes *holes = &profile->task_holes;

	for (size_t id = vec_after_hole(holes, 1); id < profile->tasks.count;
	     id = vec_after_hole(holes, id + 1)) {
		struct task *task = &profile->tasks.items[id];

		if (!task->process || !is_empty_process(&profile->processes.items[task->process]))
			continue;
		*task = (struct task){ 0 };
		profile->forgotten_tasks++;
		vec_add_hole(holes, profile->tasks.items, sizeof(*task), id);
	}
	index_tasks(profile);
}

void profile_forget_processes(struct profile *profile, const uint32_t *processes, size_t count)
{
	struct process *rows = profile->processes.items;

	for (size_t i = 0; i < count; i++)
		memset(&rows[processes[i]], 0, sizeof(*rows));
	profile->forgotten_processes += count;
	forget_tasks(profile);
	for (size_t i = 0; i < count; i++)
		vec_add_hole(&profile->process_holes, rows, sizeof(*rows), processes[i]);
}

void profile_add_code(struct profile *profile, const struct kept_code *code)
{
	struct kept_code copy = *code;

	copy.bytes = xmemdup(code->bytes, code->size);
	*vec_push(&profile->codes) = copy;
}

void profile_add_cpu_time(struct profile *profile, const struct cpu_time *time)
{
	if (profile->cpu_times.count < CPU_TIMES_MAX)
		*vec_push(&profile->cpu_times) = *time;
}

/* The part of @time that is within; false: none is. */
static bool clip_time(struct cpu_time *time, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t begin_ns = time->from_ns > from_ns ? time->from_ns : from_ns;
	uint64_t end_ns = time->to_ns < to_ns ? time->to_ns : to_ns;
	uint64_t *const parts[] = { &time->capacity_ns, &time->idle_ns, &time->iowait_ns,
				    &time->steal_ns, &time->lost_ns };
	double share;

	if (begin_ns >= end_ns)
		return false;
	share = (double)(end_ns - begin_ns) / (double)(time->to_ns - time->from_ns);
	for (size_t i = 0; share < 1 && i < sizeof(parts) / sizeof(parts[0]); i++)
		*parts[i] = (uint64_t)((double)*parts[i] * share);
	time->from_ns = begin_ns;
	time->to_ns = end_ns;
	return true;
}

struct cpu_time profile_cpu_time(const struct profile *profile, uint64_t from_ns, uint64_t to_ns)
{
	struct cpu_time sum = { .from_ns = from_ns, .to_ns = to_ns };

	for (size_t i = 0; i < profile->cpu_times.count; i++) {
		struct cpu_time time = profile->cpu_times.items[i];

		if (!clip_time(&time, from_ns, to_ns))
			continue;
		sum.capacity_ns += time.capacity_ns;
		sum.idle_ns += time.idle_ns;
		sum.iowait_ns += time.iowait_ns;
		sum.steal_ns += time.steal_ns;
		sum.lost_ns += time.lost_ns;
	}
	return sum;
}

bool profile_loss_has_times(const struct profile *profile, size_t event, enum loss_reason reason)
{
	return event == 0 && reason == LOSS_RING_FULL &&
	       profile_cpu_time(profile, 0, UINT64_MAX).lost_ns;
}

void profile_clip_losses(struct profile *profile, uint64_t from_ns, uint64_t to_ns)
{
	struct loss *loss = &profile->events[0].loss[LOSS_RING_FULL];
	double share;

	if (!profile_loss_has_times(profile, 0, LOSS_RING_FULL))
		return;
	share = (double)profile_cpu_time(profile, from_ns, to_ns).lost_ns /
		(double)profile_cpu_time(profile, 0, UINT64_MAX).lost_ns;
	loss->count = (uint64_t)((double)loss->count * share + 0.5);
	loss->weight = (uint64_t)((double)loss->weight * share + 0.5);
}

static void clip_run(struct run_facts *run, const struct cpu_time *sum)
{
	if (run->start_ns < sum->from_ns) {
		run->start_realtime_ns += sum->from_ns - run->start_ns;
		run->start_ns = sum->from_ns;
	}
	if (!run->end_ns || run->end_ns > sum->to_ns)
		run->end_ns = sum->to_ns;
	run->capacity_ns = sum->capacity_ns;
	run->idle_ns = sum->idle_ns;
	run->iowait_ns = sum->iowait_ns;
	run->steal_ns = sum->steal_ns;
	run->stat_busy_ns = run->stat_irq_ns = run->stat_shortfall_ns = 0;
}

void profile_clip(struct profile *profile, uint64_t from_ns, uint64_t to_ns)
{
	struct cpu_time sum = profile_cpu_time(profile, from_ns, to_ns);
	size_t times = 0, marks = 0;

	clip_run(&profile->run, &sum);
	profile_clip_losses(profile, from_ns, to_ns);
	for (size_t i = 0; i < profile->cpu_times.count; i++) {
		struct cpu_time time = profile->cpu_times.items[i];

		if (clip_time(&time, from_ns, to_ns))
			profile->cpu_times.items[times++] = time;
	}
	profile->cpu_times.count = times;
	for (size_t i = 0; i < profile->marks.count; i++) {
		const struct mark mark = profile->marks.items[i];

		if (from_ns <= mark.time_ns && mark.time_ns < to_ns)
			profile->marks.items[marks++] = mark;
	}
	profile->marks.count = marks;
	for (size_t i = 0; i < profile->event_count; i++) {
		struct event *event = &profile->events[i];

		event->samples = event->user_samples = event->kernel_samples = event->weight = 0;
	}
}

bool profile_add_mark(struct profile *profile, uint64_t time_ns, const char *text)
{
	if (profile->marks.count >= MARKS_MAX || !*text || strlen(text) > MARK_MAX_BYTES)
		return false;
	*vec_push(&profile->marks) = (struct mark){
		.time_ns = time_ns,
		.text = strpool_intern(&profile->strings, text),
	};
	return true;
}

const struct kept_code *profile_code(const struct profile *profile, uint32_t frame)
{
	const struct frame *row = &profile->frames.items[frame];
	bool by_place = profile->images.items[row->image].kind == IMAGE_ANON;
	uint64_t at = by_place ? row->offset : row->address;

	for (size_t i = 1; i < profile->codes.count; i++) {
		const struct kept_code *code = &profile->codes.items[i];

		if (code->image == row->image && at - code->start < code->size)
			return code;
	}
	return NULL;
}

uint32_t profile_bucket(struct profile *profile, const char *name)
{
	struct image image = { .kind = IMAGE_BUCKET,
			       .state = IMAGE_STATE_READ,
			       .path = strpool_intern(&profile->strings, name) };

	return profile_image(profile, &image);
}

bool profile_is_late(const struct profile *profile, uint32_t image)
{
	const struct image *row = &profile->images.items[image];

	if (row->state != IMAGE_STATE_LATE)
		return false;
	for (size_t i = 0; i < image; i++) {
		if (profile->images.items[i].state == IMAGE_STATE_LATE &&
		    profile->images.items[i].path == row->path)
			return false;
	}
	return true;
}

uint32_t profile_cut(struct profile *profile, enum stack_end end)
{
	struct image image = { .kind = IMAGE_CUT, .state = IMAGE_STATE_READ };
	struct frame frame = { .offset = end, .address = end };
	char name[64];

	if (end == STACK_COMPLETE)
		return 0;
	snprintf(name, sizeof(name), "[cut:%s]", stack_end_name(end));
	image.path = strpool_intern(&profile->strings, name);
	frame.image = profile_image(profile, &image);
	return profile_frame(profile, &frame);
}

enum stack_end profile_stack_end(const struct profile *profile, uint32_t stack)
{
	const struct frame *root;

	while (profile->stacks.items[stack].parent)
		stack = profile->stacks.items[stack].parent;
	root = &profile->frames.items[profile->stacks.items[stack].frame];
	if (profile->images.items[root->image].kind != IMAGE_CUT)
		return STACK_COMPLETE;
	return root->offset < STACK_END_COUNT ? (enum stack_end)root->offset : STACK_UNKNOWN;
}

void profile_set_text(char **fact, const char *value)
{
	free(*fact);
	*fact = value ? xstrdup(value) : NULL;
}

void profile_not_visible(struct profile *profile, const char *sentence)
{
	char **text = &profile->run.not_visible;
	char *before = *text;

	*text = before && *before ? xasprintf("%s\n%s", before, sentence) : xstrdup(sentence);
	free(before);
}

const char *profile_text(const struct profile *profile, str_id id)
{
	return strpool_get(&profile->strings, id);
}

struct loss profile_loss(const struct profile *profile, enum loss_reason reason)
{
	struct loss sum = { 0 };

	for (size_t i = 0; i < profile->event_count; i++) {
		sum.count += profile->events[i].loss[reason].count;
		sum.weight += profile->events[i].loss[reason].weight;
	}
	return sum;
}

static uint64_t branch_hash(const struct branch *branch)
{
	return hash_combine(hash_combine(hash_u64(branch->event), branch->from), branch->to);
}

DEFINE_EQUAL(branch_equal, struct branches, list.items, struct branch,
	     a->event == b->event && a->from == b->from && a->to == b->to)

void profile_add_branch(struct profile *profile, const struct branch *branch)
{
	struct branches *branches = &profile->branches;
	uint64_t hash = branch_hash(branch);
	struct branch *known;
	uint32_t id;

	if (!hashidx_find(&branches->index, hash, branch_equal, branches, branch, &id)) {
		if (branches->list.count >= BRANCHES_MAX) {
			branches->left_out += branch->count;
			return;
		}
		hashidx_add(&branches->index, hash, (uint32_t)branches->list.count);
		*vec_push(&branches->list) = *branch;
		return;
	}
	known = &branches->list.items[id];
	known->count += branch->count;
	known->mispredicted += branch->mispredicted;
	known->cycles += branch->cycles;
}
