/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashidx.h"
#include "base/xalloc.h"
#include "model/run_facts_merge.h"

/* /proc gives starts in hundredths of a second, records in nanoseconds. */
#define START_TOLERANCE_NS 20000000ULL
/* Smaller differences of the clocks are no step: CLOCK_REALTIME is slewed all the time. */
#define CLOCK_STEP_NS 1000000000LL

/* A machine from one start of it to the next. */
struct boot {
	char *id;      /* owned; "": not known, the same as no other */
	char *machine; /* owned */
};

/* One machine's time within the merged profile. */
struct span {
	const char *machine; /* of a boot */
	uint64_t from_ns, to_ns, cpus, capacity_ns;
};

/* What process rows of the merged profile have besides. */
struct known_process {
	uint32_t boot;
	uint32_t round; /* in which it was met last */
	uint32_t next;	/* row of the same boot and pid; 0: none */
	/* By the clock of its boot, whatever that of the merged profile is: see shift_of. */
	uint64_t start_ns;
};

struct merge {
	struct profile *into;
	VEC(struct boot) boots;
	VEC(struct span) spans;
	VEC(struct known_process) processes; /* by row */
	VEC(uint32_t) image_origins;	     /* by row: see origin_of */
	VEC(uint32_t) instances;	     /* by program: how many */
	struct hashidx image_index, pid_index;
	uint32_t round;
};

/* One call of merge_add. */
struct adding {
	struct merge *merge;
	const struct profile *from;
	struct profile *into;
	struct merge_map *map;
	uint32_t boot;
};

void merge_map_done(struct merge_map *map)
{
	vec_free(&map->texts);
	vec_free(&map->images);
	vec_free(&map->processes);
	vec_free(&map->tasks);
	vec_free(&map->symbols);
	vec_free(&map->frames);
	vec_free(&map->stacks);
}

struct merge *merge_new(struct profile *into)
{
	struct merge *merge = xcalloc(1, sizeof(*merge));

	merge->into = into;
	*vec_push(&merge->processes) = (struct known_process){ 0 };
	*vec_push(&merge->image_origins) = 0;
	return merge;
}

void merge_free(struct merge *merge)
{
	if (!merge)
		return;
	for (size_t i = 0; i < merge->boots.count; i++) {
		free(merge->boots.items[i].id);
		free(merge->boots.items[i].machine);
	}
	vec_free(&merge->boots);
	vec_free(&merge->spans);
	vec_free(&merge->processes);
	vec_free(&merge->image_origins);
	vec_free(&merge->instances);
	hashidx_done(&merge->image_index);
	hashidx_done(&merge->pid_index);
	free(merge);
}

/* ---- texts ---- */

static str_id text_of(struct adding *adding, str_id text)
{
	uint32_t *known = &adding->map->texts.items[text];

	if (text && !*known)
		*known = strpool_intern(&adding->into->strings, profile_text(adding->from, text));
	return *known;
}

/* Makes room for the numbers of @count rows, all 0. */
#define MAKE_ROOM(list, rows)                                                    \
	do {                                                                     \
		vec_reserve(list, (rows) + 1);                                   \
		memset((list)->items, 0, ((rows) + 1) * sizeof(*(list)->items)); \
		(list)->count = (rows);                                          \
	} while (0)

/* ---- boots and clocks ---- */

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static uint32_t find_boot(struct merge *merge, const struct run_facts *run)
{
	const char *id = or_empty(run->boot_id);
	const char *machine = or_empty(run->machine_id);

	for (uint32_t i = 0; *id && i < merge->boots.count; i++) {
		if (strcmp(merge->boots.items[i].id, id) == 0)
			return i;
	}
	*vec_push(&merge->boots) = (struct boot){
		.id = xstrdup(id),
		.machine = *machine ? xstrdup(machine) : xasprintf("#%zu", merge->boots.count),
	};
	return (uint32_t)merge->boots.count - 1;
}

/* From the clock of @from to that of the merged profile, whose first boot is number 0. In one boot
 * the clocks are the same, but for the time for which the machine was suspended, and for steps of
 * CLOCK_REALTIME: samples are placed by that. */
static int64_t shift_of(const struct adding *adding)
{
	const struct run_facts *to = &adding->into->run, *from = &adding->from->run;
	bool same_boot = adding->boot == 0;
	int64_t shift_ns;

	if (!from->start_ns || adding->merge->round == 1)
		return 0;
	if (!to->start_realtime_ns || !from->start_realtime_ns)
		return same_boot ? 0 : (int64_t)(to->start_ns - from->start_ns);
	shift_ns = (int64_t)(from->start_realtime_ns - to->start_realtime_ns + to->start_ns -
			     from->start_ns);
	return same_boot && shift_ns < CLOCK_STEP_NS && shift_ns > -CLOCK_STEP_NS ? 0 : shift_ns;
}

static uint64_t shifted(const struct merge_map *map, uint64_t time_ns)
{
	return time_ns ? time_ns + (uint64_t)map->shift_ns : 0;
}

/* ---- processes and tasks ---- */

static bool pid_equal(const void *owner, uint32_t id, const void *key)
{
	const struct adding *adding = owner;
	const struct process *process = key;

	return adding->into->processes.items[id].pid == process->pid &&
	       adding->merge->processes.items[id].boot == adding->boot;
}

static uint64_t pid_hash(const struct adding *adding, const struct process *process)
{
	return hash_combine(hash_u64((uint32_t)process->pid), adding->boot);
}

static bool is_near(uint64_t a, uint64_t b)
{
	return a < b + START_TOLERANCE_NS && b < a + START_TOLERANCE_NS;
}

static uint64_t own_start_ns(const struct adding *adding, const struct process *process)
{
	return process->start_ns ? process->start_ns - (uint64_t)adding->map->shift_ns : 0;
}

/* True if @process, in terms of the merged profile, goes on where the row @id ended. */
static bool goes_on(const struct adding *adding, uint32_t id, const struct process *process)
{
	const struct process *known = &adding->into->processes.items[id];
	const struct known_process *more = &adding->merge->processes.items[id];
	uint64_t begin_ns = shifted(adding->map, adding->from->run.start_ns);

	if (more->round == adding->merge->round || known->program != process->program ||
	    !is_near(more->start_ns, own_start_ns(adding, process)) ||
	    (known->exe && process->exe && known->exe != process->exe))
		return false;
	if (known->end_ns && process->end_ns)
		return is_near(known->end_ns, process->end_ns);
	return !known->end_ns || known->end_ns > begin_ns;
}

/* The row of the merged profile that @process is, or 0. Adds no row. */
static uint32_t find_process(const struct adding *adding, const struct process *process,
			     uint32_t *ret_last)
{
	uint32_t id;

	*ret_last = 0;
	if (!hashidx_find(&adding->merge->pid_index, pid_hash(adding, process), pid_equal, adding,
			  process, &id))
		return 0;
	for (; id && !goes_on(adding, id, process); id = adding->merge->processes.items[id].next)
		*ret_last = id;
	return id;
}

static uint32_t next_instance(struct merge *merge, str_id program)
{
	while (merge->instances.count <= program)
		*vec_push(&merge->instances) = 0;
	return ++merge->instances.items[program];
}

static uint32_t add_process(struct adding *adding, struct process *process, uint32_t last)
{
	struct merge *merge = adding->merge;
	uint32_t id;

	process->instance = next_instance(merge, process->program);
	id = profile_add_process(adding->into, process);
	*vec_push(&merge->processes) =
		(struct known_process){ .boot = adding->boot,
					.round = merge->round,
					.start_ns = own_start_ns(adding, process) };
	if (last)
		merge->processes.items[last].next = id;
	else
		hashidx_add(&merge->pid_index, pid_hash(adding, process), id);
	return id;
}

static void learn_process(struct adding *adding, uint32_t id, const struct process *process)
{
	struct process *known = &adding->into->processes.items[id];

	adding->merge->processes.items[id].round = adding->merge->round;
	if (!known->exe)
		known->exe = process->exe;
	if (!known->end_ns)
		known->end_ns = process->end_ns;
	known->in_command |= process->in_command;
	known->dirty = true;
}

static uint32_t take_process(struct adding *adding, const struct process *from)
{
	struct process process = *from;
	uint32_t id, last;

	process.start_ns = shifted(adding->map, from->start_ns);
	process.end_ns = shifted(adding->map, from->end_ns);
	process.program = text_of(adding, from->program);
	process.exe = text_of(adding, from->exe);
	process.cgroup = text_of(adding, from->cgroup);
	process.container = text_of(adding, from->container);
	process.parent = 0;
	process.dirty = false;
	id = find_process(adding, &process, &last);
	if (!id)
		return add_process(adding, &process, last);
	learn_process(adding, id, &process);
	return id;
}

/* Parents may come after their children. A row that was known keeps the parent it has. */
static void take_processes(struct adding *adding)
{
	const struct profile *from = adding->from;
	uint32_t *rows = adding->map->processes.items;
	size_t known = adding->into->processes.count;

	for (size_t i = 1; i < from->processes.count; i++)
		rows[i] = take_process(adding, &from->processes.items[i]);
	for (size_t i = 1; i < from->processes.count; i++) {
		if (rows[i] >= known)
			adding->into->processes.items[rows[i]].parent =
				rows[from->processes.items[i].parent];
	}
}

static void take_tasks(struct adding *adding)
{
	for (size_t i = 1; i < adding->from->tasks.count; i++) {
		struct task task = adding->from->tasks.items[i];

		task.process = adding->map->processes.items[task.process];
		task.comm = text_of(adding, task.comm);
		adding->map->tasks.items[i] = profile_task(adding->into, &task);
	}
}

/* ---- images ---- */

/* Code without a build id is the same only on one machine; of the kernel, since one start of it.
 * What stands for no file is the same everywhere. */
static uint32_t origin_of(const struct adding *adding, const struct image *image)
{
	const struct boot *boots = adding->merge->boots.items;

	if (image->build_id_size || image->kind == IMAGE_BUCKET || image->kind == IMAGE_CUT ||
	    image->kind == IMAGE_WAIT || image->kind == IMAGE_ANON)
		return 0;
	for (uint32_t i = 0; image->kind == IMAGE_FILE && i < adding->boot; i++) {
		if (strcmp(boots[i].machine, boots[adding->boot].machine) == 0)
			return i + 1;
	}
	return adding->boot + 1;
}

struct image_key {
	struct image image;
	uint32_t origin;
};

static bool image_equal(const void *owner, uint32_t id, const void *key)
{
	const struct adding *adding = owner;
	const struct image_key *wanted = key;
	const struct image *a = &adding->into->images.items[id], *b = &wanted->image;

	if (a->kind != b->kind || a->path != b->path || a->build_id_size != b->build_id_size ||
	    adding->merge->image_origins.items[id] != wanted->origin)
		return false;
	if (a->build_id_size)
		return memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
	return a->dev == b->dev && a->inode == b->inode && a->size == b->size &&
	       a->mtime_ns == b->mtime_ns;
}

static uint64_t image_hash(const struct image_key *key)
{
	uint64_t hash = hash_bytes(key->image.build_id, key->image.build_id_size);

	return hash_combine(hash_combine(hash, key->image.path), key->image.kind);
}

/* An image that was read tells more than one that was not. */
static void learn_image(struct image *known, const struct image *image)
{
	if (known->state == IMAGE_STATE_READ || image->state == known->state ||
	    (known->state == IMAGE_STATE_STRIPPED && image->state != IMAGE_STATE_READ))
		return;
	known->state = image->state;
	known->dirty = true;
}

static uint32_t take_image(struct adding *adding, const struct image *from)
{
	struct merge *merge = adding->merge;
	struct image_key key = { *from, origin_of(adding, from) };
	uint64_t hash;
	uint32_t id;

	key.image.path = text_of(adding, from->path);
	key.image.dirty = false;
	if (from->kind == IMAGE_ANON && from->inode < adding->from->processes.count)
		key.image.inode = adding->map->processes.items[from->inode];
	hash = image_hash(&key);
	if (hashidx_find(&merge->image_index, hash, image_equal, adding, &key, &id)) {
		learn_image(&adding->into->images.items[id], &key.image);
		return id;
	}
	id = (uint32_t)adding->into->images.count;
	*vec_push(&adding->into->images) = key.image;
	*vec_push(&merge->image_origins) = key.origin;
	hashidx_add(&merge->image_index, hash, id);
	return id;
}

static void take_images(struct adding *adding)
{
	for (size_t i = 1; i < adding->from->images.count; i++)
		adding->map->images.items[i] = take_image(adding, &adding->from->images.items[i]);
}

/* ---- code ---- */

static void take_symbols(struct adding *adding)
{
	for (size_t i = 1; i < adding->from->symbols.count; i++) {
		struct symbol symbol = adding->from->symbols.items[i];

		symbol.image = adding->map->images.items[symbol.image];
		symbol.name = text_of(adding, symbol.name);
		adding->map->symbols.items[i] = profile_symbol(adding->into, &symbol);
	}
}

static bool has_name(const struct profile *profile, uint32_t symbol)
{
	enum symbol_kind kind = profile->symbols.items[symbol].kind;

	return symbol && (kind == SYMBOL_NAMED || kind == SYMBOL_PLT);
}

static uint32_t take_frame(struct adding *adding, const struct frame *from)
{
	struct profile *into = adding->into;
	struct frame frame = *from, *known;
	uint32_t id;

	frame.image = adding->map->images.items[from->image];
	frame.symbol = adding->map->symbols.items[from->symbol];
	frame.dirty = false;
	if (into->images.items[frame.image].kind == IMAGE_WAIT &&
	    from->offset < adding->from->tasks.count)
		frame.offset = frame.address = adding->map->tasks.items[from->offset];
	id = profile_frame(into, &frame);
	known = &into->frames.items[id];
	if (frame.address_known && !known->address_known) {
		known->address = frame.address;
		known->address_known = known->dirty = true;
	}
	if (!has_name(into, known->symbol) && has_name(into, frame.symbol)) {
		known->symbol = frame.symbol;
		known->dirty = true;
	}
	return id;
}

static void take_stacks(struct adding *adding)
{
	struct merge_map *map = adding->map;

	for (size_t i = 1; i < adding->from->frames.count; i++)
		map->frames.items[i] = take_frame(adding, &adding->from->frames.items[i]);
	for (size_t i = 1; i < adding->from->stacks.count; i++) {
		const struct stack_node *node = &adding->from->stacks.items[i];

		map->stacks.items[i] = profile_stack(adding->into, map->stacks.items[node->parent],
						     map->frames.items[node->frame]);
	}
}

static bool has_code(const struct profile *profile, const struct kept_code *code)
{
	for (size_t i = 1; i < profile->codes.count; i++) {
		const struct kept_code *known = &profile->codes.items[i];

		if (known->image == code->image && known->start == code->start)
			return true;
	}
	return false;
}

static void take_code(struct adding *adding)
{
	for (size_t i = 1; i < adding->from->codes.count; i++) {
		struct kept_code code = adding->from->codes.items[i];

		code.image = adding->map->images.items[code.image];
		if (!has_code(adding->into, &code))
			profile_add_code(adding->into, &code);
	}
	for (size_t i = 1; i < adding->from->lines.count; i++) {
		struct source_line line = adding->from->lines.items[i];

		line.image = adding->map->images.items[line.image];
		line.file = text_of(adding, line.file);
		profile_line(adding->into, &line);
	}
}

static void take_cpu_times(struct adding *adding)
{
	const struct profile *from = adding->from;

	for (size_t i = 0; i < from->cpu_times.count; i++) {
		struct cpu_time time = from->cpu_times.items[i];

		time.from_ns = shifted(adding->map, time.from_ns);
		time.to_ns = shifted(adding->map, time.to_ns);
		profile_add_cpu_time(adding->into, &time);
	}
}

static int take_marks(struct adding *adding, struct err *err)
{
	const struct profile *from = adding->from;

	for (size_t i = 0; i < from->marks.count; i++) {
		const struct mark *mark = &from->marks.items[i];

		if (!profile_add_mark(adding->into, shifted(adding->map, mark->time_ns),
				      profile_text(from, mark->text)))
			return err_set(err, -E2BIG,
				       "the profiles have more than %d marks together: merge fewer",
				       MARKS_MAX);
	}
	return 0;
}

/* ---- events ---- */

static int find_event(struct adding *adding, const struct event *event, struct err *err)
{
	struct profile *into = adding->into;

	for (size_t i = 0; i < into->event_count; i++) {
		const struct event *known = &into->events[i];

		if (known->name == event->name && known->unit == event->unit &&
		    known->clock == event->clock)
			return (int)i;
	}
	if (into->event_count == PROFILE_MAX_EVENTS)
		return err_set(err, -E2BIG,
			       "the profiles have more than %d events together: merge fewer",
			       PROFILE_MAX_EVENTS);
	into->events[into->event_count] = *event;
	return (int)into->event_count++;
}

/* Different rates or periods are none that was asked for. */
static void add_event(struct event *sum, const struct event *event)
{
	if (sum->rate_hz < event->rate_hz || sum->rate_hz > event->rate_hz)
		sum->rate_hz = 0;
	if (sum->period != event->period)
		sum->period = 0;
	sum->samples += event->samples;
	sum->user_samples += event->user_samples;
	sum->kernel_samples += event->kernel_samples;
	sum->weight += event->weight;
	for (int i = 0; i < LOSS_COUNT; i++) {
		sum->loss[i].count += event->loss[i].count;
		sum->loss[i].weight += event->loss[i].weight;
	}
}

static int take_events(struct adding *adding, struct err *err)
{
	for (size_t i = 0; i < adding->from->event_count; i++) {
		const struct event *from = &adding->from->events[i];
		struct event key = { .name = text_of(adding, from->name),
				     .unit = text_of(adding, from->unit),
				     .clock = from->clock,
				     .rate_hz = from->rate_hz,
				     .period = from->period };
		int event = find_event(adding, &key, err);

		if (event < 0)
			return event;
		add_event(&adding->into->events[event], from);
		adding->map->events[i] = (uint8_t)event;
	}
	return 0;
}

/* ---- facts of the run ---- */

/* CPUs x wall of what was recorded. */
static uint64_t capacity_of(const struct profile *profile, uint64_t end_ns)
{
	const struct run_facts *run = &profile->run;

	if (run->capacity_ns)
		return run->capacity_ns;
	if (!run->end_ns && profile->cpu_times.count)
		return profile_cpu_time(profile, 0, UINT64_MAX).capacity_ns;
	return end_ns > run->start_ns ? run->cpus * (end_ns - run->start_ns) : 0;
}

static struct span *span_of(struct merge *merge, const char *machine)
{
	for (size_t i = 0; i < merge->spans.count; i++) {
		if (strcmp(merge->spans.items[i].machine, machine) == 0)
			return &merge->spans.items[i];
	}
	*vec_push(&merge->spans) = (struct span){ .machine = machine, .from_ns = UINT64_MAX };
	return &merge->spans.items[merge->spans.count - 1];
}

static void add_span(struct adding *adding, uint64_t end_ns)
{
	const struct run_facts *run = &adding->from->run;
	struct span *span =
		span_of(adding->merge, adding->merge->boots.items[adding->boot].machine);
	uint64_t from_ns = shifted(adding->map, run->start_ns);
	uint64_t to_ns = shifted(adding->map, end_ns);

	span->from_ns = from_ns < span->from_ns ? from_ns : span->from_ns;
	span->to_ns = to_ns > span->to_ns ? to_ns : span->to_ns;
	span->cpus = run->cpus > span->cpus ? run->cpus : span->cpus;
	span->capacity_ns += capacity_of(adding->from, end_ns);
}

static void settle_spans(const struct merge *merge, struct run_facts *run)
{
	run->cpus = run->capacity_ns = run->gap_ns = 0;
	for (size_t i = 0; i < merge->spans.count; i++) {
		const struct span *span = &merge->spans.items[i];
		uint64_t whole_ns = span->to_ns > span->from_ns
					    ? span->cpus * (span->to_ns - span->from_ns)
					    : 0;

		run->cpus += span->cpus;
		run->capacity_ns += span->capacity_ns;
		run->gap_ns += whole_ns > span->capacity_ns ? whole_ns - span->capacity_ns : 0;
	}
}

static uint64_t command_ns(const struct run_facts *run)
{
	if (run->command_ns)
		return run->command_ns;
	return run->command_begin_ns && run->command_end_ns > run->command_begin_ns
		       ? run->command_end_ns - run->command_begin_ns
		       : 0;
}

static void take_run(struct adding *adding, uint64_t from_end_ns)
{
	const struct run_facts *from = &adding->from->run;
	struct run_facts *run = &adding->into->run;
	uint64_t begin_ns = shifted(adding->map, from->command_begin_ns);
	uint64_t end_ns = shifted(adding->map, from_end_ns);

	run_facts_merge(run, from, adding->merge->round == 1);
	if (!from->end_ns) {
		struct cpu_time sum = profile_cpu_time(adding->from, 0, UINT64_MAX);

		run->idle_ns += sum.idle_ns;
		run->iowait_ns += sum.iowait_ns;
		run->steal_ns += sum.steal_ns;
	}
	if (adding->merge->round == 1) {
		run->start_ns = from->start_ns;
		run->start_realtime_ns = from->start_realtime_ns;
	}
	run->end_ns = end_ns > run->end_ns ? end_ns : run->end_ns;
	if (begin_ns && (!run->command_begin_ns || begin_ns < run->command_begin_ns))
		run->command_begin_ns = begin_ns;
	if (shifted(adding->map, from->command_end_ns) > run->command_end_ns)
		run->command_end_ns = shifted(adding->map, from->command_end_ns);
	run->command_ns += command_ns(from);
	add_span(adding, from_end_ns);
	settle_spans(adding->merge, run);
}

/* ---- the door ---- */

static void make_map(struct adding *adding)
{
	const struct profile *from = adding->from;
	struct merge_map *map = adding->map;

	*map = (struct merge_map){ .shift_ns = shift_of(adding) };
	MAKE_ROOM(&map->texts, strpool_count(&from->strings));
	MAKE_ROOM(&map->images, from->images.count);
	MAKE_ROOM(&map->processes, from->processes.count);
	MAKE_ROOM(&map->tasks, from->tasks.count);
	MAKE_ROOM(&map->symbols, from->symbols.count);
	MAKE_ROOM(&map->frames, from->frames.count);
	MAKE_ROOM(&map->stacks, from->stacks.count);
}

int merge_add(struct merge *merge, const struct profile *from, uint64_t end_ns,
	      struct merge_map *ret_map, struct err *err)
{
	struct adding adding = { .merge = merge,
				 .from = from,
				 .into = merge->into,
				 .map = ret_map,
				 .boot = find_boot(merge, &from->run) };
	int rc;

	merge->round++;
	make_map(&adding);
	take_processes(&adding);
	take_tasks(&adding);
	take_images(&adding);
	take_symbols(&adding);
	take_stacks(&adding);
	take_code(&adding);
	take_run(&adding, end_ns);
	take_cpu_times(&adding);
	rc = take_marks(&adding, err);
	return rc < 0 ? rc : take_events(&adding, err);
}

size_t merge_machines(const struct merge *merge)
{
	return merge->spans.count;
}

struct sample merge_sample(const struct merge_map *map, const struct sample *sample)
{
	struct sample merged = *sample;

	merged.time_ns = shifted(map, sample->time_ns);
	merged.task = map->tasks.items[sample->task];
	merged.stack = map->stacks.items[sample->stack];
	merged.event = map->events[sample->event];
	return merged;
}

struct branch merge_branch(const struct merge_map *map, const struct branch *branch)
{
	struct branch merged = *branch;

	merged.event = map->events[branch->event];
	merged.from = map->frames.items[branch->from];
	merged.to = map->frames.items[branch->to];
	return merged;
}
