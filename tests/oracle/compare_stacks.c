/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live samples, each unwound three times: in the interrupt, by our unwinder from the same sample's
 * registers and copy of the stack, and from these by libdwfl.
 *
 *   compare_stacks [-tv] [-r HZ] [-s SECONDS] [-d DEPTH] [-p PID]
 *
 * -t: only what the interrupt does, to see what it costs; -v: the first stacks that differ; -p:
 * only this process counts. Prints what was compared with what; exit status 1 when a frame was
 * wrong, 77 when it cannot be done here.
 */
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hashidx.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "elf/elf_file.h"
#include "proc/proc_scan.h"
#include "sampling/sampler.h"
#include "unwind/row_cache.h"
#include "unwind/unwinder.h"

enum { MAX_FRAMES = STACK_MAX_USER, SHOWN = 5, DRAIN_US = 50000 };

struct mapped_image {
	char *path;
	int fd;
	struct elf_file *elf;
	struct row_table *rows; /* NULL: none */
};

struct space {
	uint64_t id, generation;
	int32_t pid;
	VEC(struct stack_range) ranges;
	struct stack_entry entries[STACK_ENTRIES];
	Dwfl *dwfl;
};

struct tally {
	uint64_t equal, longer, shorter, different;
};

struct comparison {
	struct sampler *sampler;
	struct row_cache *cache;
	VEC(struct mapped_image) images;
	VEC(struct space *) spaces;
	uint64_t generation;
	int32_t only_pid;
	bool verbose;
	int shown;
	uint64_t samples, kernel_threads, compared, first, others;
	uint64_t ends[STACK_END_COUNT], frames;
	struct tally interrupt, copy;
	const struct perf_sample *current; /* for libdwfl's callbacks */
	int32_t tid;
	uint64_t reference[MAX_FRAMES];
	size_t reference_count;
};

/* ---- images and mappings ---- */

static size_t image_of(struct comparison *all, const char *path, int32_t pid)
{
	struct mapped_image image = { .path = NULL };
	char by_pid[4200];

	for (size_t i = 0; i < all->images.count; i++) {
		if (strcmp(all->images.items[i].path, path) == 0)
			return i;
	}
	snprintf(by_pid, sizeof(by_pid), "/proc/%d/root%s", pid, path);
	image.path = xstrdup(path);
	image.fd = open(by_pid, O_RDONLY | O_CLOEXEC);
	if (strcmp(path, "[vdso]") == 0)
		row_cache_get_vdso(all->cache, &image.rows, NULL);
	else if (image.fd >= 0 && elf_file_open(image.fd, &image.elf, NULL) == 0)
		row_cache_get(all->cache, image.fd, &image.rows, NULL);
	*vec_push(&all->images) = image;
	return all->images.count - 1;
}

static void add_entry(struct space *space, const struct mapped_image *image, uint64_t bias)
{
	const struct unwind_table *rows = image->rows ? row_table_rows(image->rows) : NULL;
	uint64_t entry = elf_file_entry(image->elf);
	uint64_t end = unwinder_entry_end(rows, entry);
	int at = space->entries[0].end ? 1 : 0;

	if (entry && end && (strstr(image->path, "/ld-linux") || at == 0))
		space->entries[at] = (struct stack_entry){ entry + bias, end + bias };
}

struct mapping_visit {
	struct comparison *all;
	struct space *space;
};

static void visit_map(void *context, int32_t pid, const struct proc_map *map)
{
	struct mapping_visit *visit = context;
	struct stack_range *range = vec_push(&visit->space->ranges);
	const struct mapped_image *image;
	uint64_t address;
	size_t number;

	*range = (struct stack_range){ .start = map->start,
				       .end = map->end,
				       .kind = STACK_MAP_FRAME_POINTERS };
	if (map->path[0] != '/' && strcmp(map->path, "[vdso]") != 0)
		return;
	number = image_of(visit->all, map->path, pid);
	image = &visit->all->images.items[number];
	range->image = (uint32_t)number;
	range->bias = map->start;
	if (image->elf && elf_file_address(elf_file_segments(image->elf), map->offset, &address)) {
		range->bias = map->start - address;
		add_entry(visit->space, image, range->bias);
	}
	if (image->rows)
		range->kind = STACK_MAP_ROWS;
}

/* ---- libdwfl ---- */

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
	struct comparison *all = context;

	(void)dwfl;
	if (*thread)
		return 0;
	*thread = all;
	return all->tid;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret_word, void *context)
{
	const struct user_stack *user = &((struct comparison *)context)->current->user_stack;
	uint64_t offset = address - user->stack_address;

	(void)dwfl;
	if (address < user->stack_address || offset + 8 > user->stack_size)
		return false;
	memcpy(ret_word, (const char *)user->stack + offset, 8);
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	const struct comparison *all = context;
	const struct unwind_registers *registers = all->current->user_stack.registers;

	dwfl_thread_state_register_pc(thread, registers->pc);
#if defined(__x86_64__)
	Dwarf_Word words[17];

	memcpy(words, registers->values, 16 * sizeof(words[0]));
	words[16] = registers->pc;
	return dwfl_thread_state_registers(thread, 0, 17, words);
#else
	return dwfl_thread_state_registers(thread, 0, 32, registers->values);
#endif
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

static int take_frame(Dwfl_Frame *frame, void *context)
{
	struct comparison *all = context;
	Dwarf_Addr pc;
	bool exact = false;

	if (all->reference_count == MAX_FRAMES || !dwfl_frame_pc(frame, &pc, &exact) || pc == 0)
		return DWARF_CB_ABORT;
	all->reference[all->reference_count] =
		pc | (exact && all->reference_count ? UNWIND_EXACT : 0);
	all->reference_count++;
	return DWARF_CB_OK;
}

static bool attach(struct comparison *all, struct space *space)
{
	space->dwfl = dwfl_begin(&callbacks);
	return space->dwfl && dwfl_linux_proc_report(space->dwfl, space->pid) == 0 &&
	       dwfl_report_end(space->dwfl, NULL, NULL) == 0 &&
	       dwfl_attach_state(space->dwfl, NULL, space->pid, &thread_callbacks, all);
}

/* ---- spaces ---- */

static struct space *find_space(struct comparison *all, uint64_t id)
{
	for (size_t i = 0; i < all->spaces.count; i++) {
		if (all->spaces.items[i]->id == id)
			return all->spaces.items[i];
	}
	return NULL;
}

static void give_table(struct comparison *all, struct space *space)
{
	struct stack_tables *tables = sampler_stack_tables(all->sampler);
	struct stack_space_table table = { .generation = space->generation,
					   .ranges = space->ranges.items,
					   .range_count = space->ranges.count };

	memcpy(table.entries, space->entries, sizeof(table.entries));
	for (size_t i = 0; i < space->ranges.count; i++) {
		uint32_t image = space->ranges.items[i].image;

		if (space->ranges.items[i].kind == STACK_MAP_ROWS)
			stack_tables_add_image(tables, image,
					       row_table_rows(all->images.items[image].rows));
	}
	stack_tables_set_space(tables, space->id, &table);
}

static struct space *new_space(struct comparison *all, uint64_t id, int32_t pid)
{
	struct space *space = xcalloc(1, sizeof(*space));
	struct mapping_visit visit = { all, space };
	const struct proc_visitor visitor = { .map = visit_map, .context = &visit };

	space->id = id;
	space->pid = pid;
	space->generation = ++all->generation;
	*vec_push(&all->spaces) = space;
	if (proc_scan_one(pid, &visitor, NULL) == 0 && attach(all, space))
		give_table(all, space);
	return space;
}

static struct unwind_code find_code(void *context, uint64_t address)
{
	struct mapping_visit *visit = context;
	const struct space *space = visit->space;
	struct unwind_code code = { .mapped = false };

	for (size_t i = 0; i < space->ranges.count; i++) {
		const struct stack_range *range = &space->ranges.items[i];

		if (address < range->start || address >= range->end)
			continue;
		code.mapped = true;
		code.bias = range->bias;
		if (range->kind == STACK_MAP_ROWS)
			code.table = row_table_rows(visit->all->images.items[range->image].rows);
	}
	for (int i = 0; i < STACK_ENTRIES; i++)
		code.entry |= address >= space->entries[i].start && address < space->entries[i].end;
	return code;
}

/* ---- comparing ---- */

static void show(const char *what, const uint64_t *addresses, size_t count, enum stack_end end)
{
	printf("  %-9s %3zu %s:", what, count, stack_end_name(end));
	for (size_t i = 0; i < count && i < 40; i++)
		printf(" %" PRIx64, addresses[i]);
	printf("\n");
}

/* Returns whether a frame is wrong. */
static bool compare(struct comparison *all, const uint64_t *addresses, size_t count,
		    struct tally *tally)
{
	size_t same = 0;

	while (same < count && same < all->reference_count &&
	       addresses[same] == all->reference[same])
		same++;
	if (same < count && same < all->reference_count)
		tally->different++;
	else if (count > same)
		tally->longer++;
	else if (all->reference_count > same)
		tally->shorter++;
	else
		tally->equal++;
	return same < count && same < all->reference_count;
}

static void compare_sample(struct comparison *all, const struct perf_record *record,
			   struct space *space)
{
	const struct user_stack *user = &record->sample.user_stack;
	struct mapping_visit visit = { all, space };
	const struct unwind_input input = { .machine = EM_X86_64,
					    .registers = user->registers,
					    .stack_address = user->stack_address,
					    .stack = user->stack,
					    .stack_size = user->stack_size,
					    .stack_cut = user->stack_cut,
					    .find = find_code,
					    .context = &visit };
	uint64_t addresses[MAX_FRAMES];
	enum stack_end end;
	size_t count = unwinder_walk(&input, addresses, MAX_FRAMES, &end);
	bool wrong, worse;

	all->current = &record->sample;
	all->tid = record->tid;
	all->reference_count = 0;
	dwfl_getthread_frames(space->dwfl, record->tid, take_frame, all);
	all->compared++;
	all->frames += user->count;
	all->ends[user->end]++;
	wrong = compare(all, user->addresses, user->count, &all->interrupt);
	wrong |= compare(all, addresses, count, &all->copy);
	worse = user->count < all->reference_count || user->end != STACK_COMPLETE;
	worse |= count < all->reference_count;
	if (all->verbose && (wrong || worse) && all->shown++ < SHOWN) {
		printf("pid %d\n", record->pid);
		show("interrupt", user->addresses, user->count, user->end);
		show("copy", addresses, count, end);
		show("libdwfl", all->reference, all->reference_count, STACK_COMPLETE);
	}
}

static void take(void *context, const struct perf_record *record)
{
	struct comparison *all = context;
	const struct user_stack *user = &record->sample.user_stack;
	struct space *space;

	if (record->type != PERF_RECORD_SAMPLE ||
	    sampler_source(all->sampler, record->id).stream != STREAM_CLOCK)
		return;
	all->samples++;
	if (user->form == USER_STACK_NONE)
		all->kernel_threads++;
	if (user->form != USER_STACK_DUMP || (all->only_pid && record->pid != all->only_pid))
		return;
	space = find_space(all, user->space);
	if (!space)
		space = new_space(all, user->space, record->pid);
	if (user->generation == 0 || !space->dwfl)
		all->first++;
	else if (user->end == STACK_STALE)
		all->others++;
	else
		compare_sample(all, record, space);
}

/* ---- the whole ---- */

static const char *const counter_names[STACK_COUNTER_COUNT] = {
#define ROW(id, name, text) name,
	STACK_COUNTERS(ROW)
#undef ROW
};

static void print_tally(const char *name, const struct tally *tally)
{
	printf("%s: %" PRIu64 " equal, %" PRIu64 " longer, %" PRIu64 " shorter, %" PRIu64
	       " different\n",
	       name, tally->equal, tally->longer, tally->shorter, tally->different);
}

static void print(const struct comparison *all)
{
	struct sampler_stack_counts counts = sampler_stack_counts(all->sampler);

	printf("%" PRIu64 " samples, %" PRIu64 " without user part, %" PRIu64
	       " before the table, %" PRIu64 " with unknown mappings, %" PRIu64
	       " compared, %.1f frames\n",
	       all->samples, all->kernel_threads, all->first, all->others, all->compared,
	       all->compared ? (double)all->frames / (double)all->compared : 0);
	for (int i = 0; i < STACK_END_COUNT; i++) {
		if (all->ends[i])
			printf("end %s: %" PRIu64 "\n", stack_end_name((enum stack_end)i),
			       all->ends[i]);
	}
	print_tally("interrupt", &all->interrupt);
	print_tally("copy", &all->copy);
	for (int i = 0; i < STACK_COUNTER_COUNT; i++)
		printf("%s: %" PRIu64 "\n", counter_names[i], counts.counters[i]);
	if (counts.counters[STACK_COUNTER_TIMED_RUNS])
		printf("%.2f us for a sample, %.1f frames\n",
		       (double)counts.counters[STACK_COUNTER_TIMED_NS] /
			       (double)counts.counters[STACK_COUNTER_TIMED_RUNS] / 1000,
		       (double)counts.counters[STACK_COUNTER_FRAMES] /
			       (double)counts.counters[STACK_COUNTER_RUNS]);
}

static int run(struct comparison *all, const struct sampler_options *options, double seconds)
{
	struct err err = { "" };
	uint64_t end_ns;

	if (sampler_open(options, &all->sampler, &err) < 0 ||
	    sampler_stack_rung(all->sampler) != STACK_RUNG_INTERRUPT) {
		printf("no stacks in the interrupt: %s %s\n", err.text,
		       all->sampler ? sampler_stacks_missing(all->sampler) : "");
		return 77;
	}
	all->cache = row_cache_new(NULL);
	sampler_enable(all->sampler);
	end_ns = clock_ns() + (uint64_t)(seconds * NS_PER_S);
	while (clock_ns() < end_ns) {
		usleep(DRAIN_US);
		sampler_drain(all->sampler, clock_ns() - 5 * NS_PER_MS, take, all);
		stack_tables_settle(sampler_stack_tables(all->sampler));
	}
	sampler_disable(all->sampler);
	print(all);
	return all->interrupt.different || all->copy.different ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct sampler_options options = { .rate_hz = 497,
					   .whole_machine = true,
					   .ring_bytes = 1 << 23,
					   .stacks = STACK_RUNG_INTERRUPT,
					   .verify_stacks = true };
	static struct comparison all;
	double seconds = 5;
	int option;

	while ((option = getopt(argc, argv, "tvr:s:p:d:")) != -1) {
		switch (option) {
		case 't':
			options.verify_stacks = false;
			break;
		case 'v':
			all.verbose = true;
			break;
		case 'r':
			options.rate_hz = atof(optarg);
			break;
		case 's':
			seconds = atof(optarg);
			break;
		case 'p':
			all.only_pid = atoi(optarg);
			options.whole_machine = false;
			options.tids = &all.only_pid;
			options.tid_count = 1;
			break;
		case 'd':
			options.max_depth = (uint32_t)atoi(optarg);
			break;
		default:
			return 2;
		}
	}
	return run(&all, &options, seconds);
}
