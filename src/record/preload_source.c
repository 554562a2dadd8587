/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/preload_source.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hashidx.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "perf/perf_record.h"
#include "perf/record_queue.h"
#include "proc/proc_parse.h"
#include "proc/proc_scan.h"
#include "record/preload_execs.h"
#include "record/preload_pids.h"

#if defined(__aarch64__)
#define HOST_MACHINE EM_AARCH64
#else
#define HOST_MACHINE EM_X86_64
#endif

enum {
	MOST_PROCESSES = 1 << 16, /* whose ends and mappings are looked for at the same time */
	MOST_PATH = 4096,
	MOST_SECONDS = 1000, /* that one sample can stand for */
	/* Between two looks at the mappings of a process: the time doubles while they stay the same. */
	MAPS_SOON_MS = 90,
	MAPS_LATE_MS = 1500,
};

/* A process of our PID namespace that has spoken, and has not ended as far as we know. */
struct living {
	int32_t pid;
	uint64_t hash;	  /* of all its mappings, as /proc has them */
	uint64_t next_ns; /* when to look at them again, */
	uint64_t wait_ns; /* and how long that is after the last time */
	bool wanted;	  /* it is new, or had samples since */
};

struct preload_source {
	struct profile *profile;
	struct machine *machine;
	struct preload_memory *memory;
	struct record_queue *queue;
	pid_t command;
	struct preload_pids pids;
	VEC(struct living) living;
	struct hashidx by_pid; /* of these */
	struct preload_execs *execs;
	struct foreign *foreign;
	uint64_t malformed;
	uint64_t released_ns;		   /* records before were passed on */
	struct unwind_registers registers; /* of the current sample */
	struct attribution *attribution;   /* during a drain */
};

static const struct perf_format format = { .sample_type = PRELOAD_SAMPLE_TYPE,
					   .regs_user = PRELOAD_REGISTERS,
					   .sample_id_all = true };

static const char *const event_names[] = {
	[PRELOAD_CLOCK_CPU] = "cpu-clock",
	[PRELOAD_CLOCK_USER] = "user-time",
	[PRELOAD_CLOCK_WALL] = EVENT_WALL_CLOCK,
};

struct preload_source *preload_source_new(struct profile *profile, struct machine *machine,
					  struct preload_memory *memory, double rate_hz,
					  enum preload_clock clock, pid_t command,
					  struct foreign *foreign)
{
	struct preload_source *source = xcalloc(1, sizeof(*source));
	struct event event = {
		.name = strpool_intern(&profile->strings, event_names[clock]),
		.unit = strpool_intern(&profile->strings, "ns"),
		.clock = CLOCK_TIMER,
		.rate_hz = rate_hz,
	};

	profile->events[profile->event_count++] = event;
	source->profile = profile;
	source->machine = machine;
	source->memory = memory;
	source->command = command;
	source->foreign = foreign;
	source->queue = record_queue_new(1, &format);
	source->execs = preload_execs_new();
	return source;
}

void preload_source_free(struct preload_source *source)
{
	if (!source)
		return;
	preload_execs_free(source->execs);
	vec_free(&source->living);
	hashidx_done(&source->by_pid);
	record_queue_free(source->queue);
	free(source);
}

void preload_source_note_command(struct preload_source *source, const char *path,
				 enum preload_refusal refusal)
{
	preload_execs_note(source->execs, source->command, clock_ns(), refusal, path);
}

static struct record_origin origin(void *context, const struct perf_record *record)
{
	(void)context;
	if (record->type != PERF_RECORD_SAMPLE)
		return (struct record_origin){ .event = RECORD_NO_EVENT };
	return (struct record_origin){ .event = 0,
				       .is_time = true,
				       .weight = record->sample.period };
}

struct record_source preload_source_records(struct preload_source *source)
{
	return (struct record_source){ .origin = origin, .context = source };
}

/* ---- processes ---- */

DEFINE_EQUAL(is_pid, struct preload_source, living.items, int32_t, a->pid == *b)

/* NULL: not known. */
static struct living *find_living(const struct preload_source *source, int32_t pid)
{
	uint32_t id;

	return hashidx_find(&source->by_pid, hash_u64((uint64_t)pid), is_pid, source, &pid, &id)
		       ? &source->living.items[id]
		       : NULL;
}

/* It speaks. */
static void note_living(struct preload_source *source, int32_t pid)
{
	if (!preload_pids_is_ours(pid) || source->living.count >= MOST_PROCESSES ||
	    find_living(source, pid))
		return;
	hashidx_add(&source->by_pid, hash_u64((uint64_t)pid), (uint32_t)source->living.count);
	*vec_push(&source->living) = (struct living){ .pid = pid, .wanted = true };
}

/* The first @count have been kept. */
static void forget_others(struct preload_source *source, size_t count)
{
	if (count == source->living.count)
		return;
	source->living.count = count;
	hashidx_done(&source->by_pid);
	for (size_t i = 0; i < count; i++)
		hashidx_add(&source->by_pid, hash_u64((uint64_t)source->living.items[i].pid),
			    (uint32_t)i);
}

/* ---- records ---- */

static bool is_process(const struct perf_record *record)
{
	return record->pid == record->tid;
}

/* A process says of itself that it was made when it is forked, and again when it executes a program. False:
 * it is known. */
static bool take_fork(struct preload_source *source, struct perf_record *record)
{
	if (machine_tid_alive(source->machine, record->tid))
		return false;
	if (is_process(record) && !machine_process_of(source->machine, record->task.parent_pid))
		record->task.parent_pid = record->task.parent_tid = source->command;
	return true;
}

static bool take_sample(struct preload_source *source, struct perf_record *record)
{
	struct perf_sample *sample = &record->sample;

	if (sample->period > MOST_SECONDS * NS_PER_S ||
	    !perf_registers_for_unwinding(&sample->user, HOST_MACHINE, &source->registers)) {
		source->malformed++;
		return false;
	}
	if (record->cpu == PRELOAD_NO_CPU) {
		unsigned sp = perf_registers_sp(HOST_MACHINE);

		source->registers.known = 1ULL << sp;
		record->cpu = 0;
	}
	sample->user_stack = (struct user_stack){
		.form = USER_STACK_DUMP,
		.end = STACK_NO_ROWS,
		.registers = &source->registers,
		.stack_address = source->registers.values[perf_registers_sp(HOST_MACHINE)],
		.stack = sample->stack.bytes,
		.stack_size = sample->stack.size,
		.stack_cut = sample->stack.size + sizeof(uint64_t) > PRELOAD_MOST_STACK,
	};
	return true;
}

/* The mappings of a file that was removed or replaced. */
static const char *without_deleted(const char *path, char *room, size_t size)
{
	snprintf(room, size, "%s", path);
	proc_parse_deleted(room);
	return room;
}

static void take(void *context, const struct perf_record *sorted)
{
	struct preload_source *source = context;
	struct perf_record record = *sorted;
	char path[MOST_PATH];

	switch (record.type) {
	case PERF_RECORD_FORK:
		if (!take_fork(source, &record))
			return;
		break;
	case PERF_RECORD_MMAP2:
		/* /proc/PID/maps has none. */
		record.mmap.has_generation = false;
		record.mmap.path = without_deleted(record.mmap.path, path, sizeof(path));
		break;
	case PERF_RECORD_SAMPLE:
		if (!take_sample(source, &record))
			return;
		break;
	case PERF_RECORD_EXIT:
		if (is_process(&record)) {
			machine_exit_process(source->machine, record.time_ns, record.pid);
			return;
		}
		break;
	default:
		break;
	}
	attribution_take(source->attribution, &record);
}

/* ---- mappings of running processes ---- */

/* The library reports the mappings of a program when it is loaded, where a sample finds unknown code, after a
 * library was unloaded, and when the process ends. What was loaded meanwhile may be below unknown code, so /proc is
 * read before the samples of a process are walked. */

static void want_maps(struct preload_source *source, const void *bytes, size_t size)
{
	struct preload_sample sample;
	struct living *living;

	if (size < sizeof(sample))
		return;
	memcpy(&sample, bytes, sizeof(sample));
	living = find_living(source, sample.pid);
	if (living)
		living->wanted = true;
}

static void hash_map(void *context, int32_t pid, const struct proc_map *map)
{
	uint64_t *hash = context;

	(void)pid;
	*hash = hash_combine(*hash, map->start);
	*hash = hash_combine(*hash, map->end ^ map->offset << 1);
	*hash = hash_combine(*hash, hash_bytes(map->path, strlen(map->path)) ^ map->inode);
}

/* A mapping as a record. */
static void queue_map(struct preload_source *source, int32_t pid, const struct proc_map *map,
		      uint64_t time_ns)
{
	struct preload_map head = { .header = { .type = PERF_RECORD_MMAP2,
						.misc = PERF_RECORD_MISC_USER },
				    .pid = pid,
				    .tid = pid,
				    .start = map->start,
				    .size = map->end - map->start,
				    .offset = map->offset,
				    .major = major(map->dev),
				    .minor = minor(map->dev),
				    .inode = map->inode,
				    .protection = PROT_READ | PROT_EXEC };
	const struct preload_trailer trailer = { .pid = pid, .tid = pid, .time_ns = time_ns };
	_Alignas(8) uint8_t record[sizeof(head) + MOST_PATH + sizeof(trailer)] = { 0 };
	const char *path = map->path[0] ? map->path : "//anon";
	size_t path_room = (strlen(path) + 8) / 8 * 8;

	if (path_room > MOST_PATH)
		return;
	head.header.size = (uint16_t)(sizeof(head) + path_room + sizeof(trailer));
	memcpy(record, &head, sizeof(head));
	memcpy(record + sizeof(head), path, strlen(path));
	memcpy(record + sizeof(head) + path_room, &trailer, sizeof(trailer));
	record_queue_add(source->queue, 0, record, head.header.size);
}

/* A new mapping may be in the stacks of samples that were not walked yet. Where it replaces another, those
 * samples belong to the one before. */
static void take_map(void *context, int32_t pid, const struct proc_map *map)
{
	struct preload_source *source = context;
	struct machine_space space = machine_space(source->machine, pid);
	struct mapping known;
	bool replaces = machine_find_code(&space, map->start, &known) == CODE_MAPPED ||
			machine_find_code(&space, map->end - 1, &known) == CODE_MAPPED;

	queue_map(source, pid, map, replaces ? clock_ns() : source->released_ns + 1);
}

/* False: the process has ended. */
static bool read_maps(struct preload_source *source, struct living *living, uint64_t now_ns)
{
	uint64_t hash = 1;
	struct proc_visitor visitor = { .map = hash_map,
					.context = &hash,
					.foreign = source->foreign };

	if (proc_scan_one(living->pid, &visitor, NULL) < 0)
		return false;
	living->wanted = false;
	if (hash != living->hash)
		living->wait_ns = MAPS_SOON_MS * NS_PER_MS;
	else if (living->wait_ns < MAPS_LATE_MS * NS_PER_MS)
		living->wait_ns *= 2;
	living->next_ns = now_ns + living->wait_ns;
	if (hash == living->hash)
		return true;
	living->hash = hash;
	visitor.map = take_map;
	visitor.context = source;
	return proc_scan_one(living->pid, &visitor, NULL) == 0;
}

static void follow_maps(struct preload_source *source, uint64_t now_ns)
{
	for (size_t i = 0; i < source->living.count; i++) {
		struct living *living = &source->living.items[i];

		/* Before it has spoken, attribution would not know it. */
		if (living->wanted && now_ns >= living->next_ns &&
		    machine_process_of(source->machine, living->pid) &&
		    !read_maps(source, living, now_ns))
			living->wanted = false;
	}
}

/* The library dates a mapping back to when it last had looked: that may have been passed on by now. */
static void date_map(const struct preload_source *source, void *bytes, size_t size)
{
	struct preload_trailer trailer;
	uint8_t *at = (uint8_t *)bytes + size - sizeof(trailer);

	if (size < sizeof(struct perf_event_header) + sizeof(trailer))
		return;
	memcpy(&trailer, at, sizeof(trailer));
	if (trailer.time_ns > source->released_ns)
		return;
	trailer.time_ns = source->released_ns + 1;
	memcpy(at, &trailer, sizeof(trailer));
}

static void note_mark(struct preload_source *source, const void *bytes, size_t size)
{
	struct preload_mark head;
	const char *text = (const char *)bytes + sizeof(head);

	if (size <= sizeof(head) || !memchr(text, '\0', size - sizeof(head))) {
		source->malformed++;
		return;
	}
	memcpy(&head, bytes, sizeof(head));
	profile_add_mark(source->profile, head.time_ns, text);
}

/* A program begins, or a process. */
static void note_beginning(struct preload_source *source, const struct perf_event_header *header,
			   const void *bytes, size_t size)
{
	struct preload_trailer trailer;

	if (size < sizeof(*header) + sizeof(trailer))
		return;
	memcpy(&trailer, (const uint8_t *)bytes + size - sizeof(trailer), sizeof(trailer));
	if (trailer.pid == trailer.tid)
		note_living(source, trailer.pid);
	if (header->type == PERF_RECORD_COMM && header->misc & PERF_RECORD_MISC_COMM_EXEC)
		preload_execs_loaded(source->execs, trailer.pid, trailer.time_ns);
}

/* False: the record cannot be of the past. The clocks of other namespaces are compared roughly. */
static bool has_been(const void *bytes, size_t size)
{
	return perf_record_time(bytes, size, &format) < clock_ns() + NS_PER_S;
}

static void queue_record(void *context, uint32_t pid_namespace, void *bytes, size_t size)
{
	struct preload_source *source = context;
	struct perf_event_header header;

	preload_pids_translate(&source->pids, pid_namespace, bytes, size);
	memcpy(&header, bytes, sizeof(header));
	switch (header.type) {
	case PRELOAD_RECORD_EXEC:
		source->malformed += !preload_execs_add(source->execs, bytes, size);
		return;
	case PRELOAD_RECORD_MARK:
		note_mark(source, bytes, size);
		return;
	case PERF_RECORD_FORK:
	case PERF_RECORD_COMM:
		note_beginning(source, &header, bytes, size);
		break;
	case PERF_RECORD_SAMPLE:
		want_maps(source, bytes, size);
		break;
	case PERF_RECORD_MMAP2:
		date_map(source, bytes, size);
		break;
	case PERF_RECORD_EXIT:
		break;
	default:
		source->malformed++; /* the library writes no others */
		return;
	}
	if (has_been(bytes, size))
		record_queue_add(source->queue, 0, bytes, size);
	else
		source->malformed++;
}

/* ---- the ends of processes ---- */

static void queue_exit(struct preload_source *source, int32_t pid, uint64_t time_ns)
{
	const struct {
		struct perf_event_header header;
		int32_t pid, parent_pid, tid, parent_tid;
		uint64_t time_ns;
		struct preload_trailer trailer;
	} record = { .header = { .type = PERF_RECORD_EXIT, .size = sizeof(record) },
		     .pid = pid,
		     .tid = pid,
		     .time_ns = time_ns,
		     .trailer = { .pid = pid, .tid = pid, .time_ns = time_ns } };

	record_queue_add(source->queue, 0, &record, sizeof(record));
}

/* What they have not yet been heard of is older than now. */
static void look_for_ended(struct preload_source *source)
{
	size_t kept = 0;

	for (size_t i = 0; i < source->living.count; i++) {
		int32_t pid = source->living.items[i].pid;

		if (kill(pid, 0) < 0 && errno == ESRCH)
			queue_exit(source, pid, clock_ns());
		else
			source->living.items[kept++] = source->living.items[i];
	}
	forget_others(source, kept);
}

void preload_source_drain(struct preload_source *source, uint64_t cutoff_ns,
			  struct attribution *attribution)
{
	uint64_t now_ns = clock_ns();

	source->attribution = attribution;
	preload_memory_drain(source->memory, queue_record, source);
	preload_execs_match(source->execs);
	look_for_ended(source);
	follow_maps(source, now_ns);
	record_queue_release(source->queue, cutoff_ns, take, source);
	source->released_ns = cutoff_ns;
}

/* ---- what was lost, and not profiled ---- */

void preload_source_settle(struct preload_source *source)
{
	struct preload_memory_counts counts = preload_memory_counts(source->memory);
	struct record_queue_counts queued = record_queue_counts(source->queue);
	struct loss *loss = source->profile->events[0].loss;
	_cleanup_free_ char *not_profiled =
		preload_execs_sentence(source->execs, counts.dropped_records > 0);
	char sentence[160];

	loss[LOSS_RING_FULL] = (struct loss){ counts.dropped, counts.dropped_ns };
	loss[LOSS_TRACKING].count = counts.dropped_records;
	loss[LOSS_LATE].count = queued.late;
	loss[LOSS_MALFORMED].count = queued.malformed + counts.malformed + source->malformed;
	if (counts.untimed_threads) {
		snprintf(sentence, sizeof(sentence),
			 "%" PRIu64 " threads that could have no timer (ulimit -i)",
			 counts.untimed_threads);
		profile_not_visible(source->profile, sentence);
	}
	if (not_profiled)
		profile_not_visible(source->profile, not_profiled);
}
