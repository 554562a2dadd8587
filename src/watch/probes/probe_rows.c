/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_rows.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "bpf/probe_wire.h"
#include "bpf/probes.skel.h"

/* An array map, mapped into memory. */
struct mapped {
	const void *memory; /* NULL: not mapped */
	size_t bytes;
};

/* Histograms: per slot the kernel's counts, now and at the last reading; per place their sums. */
struct histograms {
	struct mapped now; /* arrays of uint32_t */
	uint32_t *seen;
	uint64_t *sums;
	size_t buckets;
};

struct probe_rows {
	enum probe_key key;
	size_t target_count, row_limit, cpus;
	struct mapped slots, names;
	struct histograms latencies, values;
	const volatile uint32_t *rows_given; /* how many names may be in use */
	VEC(struct probe_row) rows;
};

_Static_assert(sizeof(struct probe_latency) == PROBE_LATENCY_BUCKETS * sizeof(uint32_t), "buckets");
_Static_assert(sizeof(struct probe_values) == PROBE_VALUE_BUCKETS * sizeof(uint32_t), "buckets");

static int map_array(const struct bpf_map *map, struct mapped *ret_mapped)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = (size_t)bpf_map__value_size(map) * bpf_map__max_entries(map);
	void *memory;

	bytes = (bytes + page - 1) / page * page;
	memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	if (memory == MAP_FAILED)
		return -errno;
	*ret_mapped = (struct mapped){ .memory = memory, .bytes = bytes };
	return 0;
}

static void unmap(const struct mapped *mapped)
{
	if (mapped->memory)
		munmap((void *)mapped->memory, mapped->bytes);
}

static bool is_keyed(enum probe_key key)
{
	return key != PROBE_BY_SUM && key != PROBE_BY_CPU;
}

/* The number of places: one per row or, by CPU, one per row and CPU. */
static size_t places_of(const struct probe_rows *rows)
{
	return rows->key == PROBE_BY_CPU ? rows->row_limit * rows->cpus : rows->row_limit;
}

static int map_histograms(const struct probe_rows *rows, const struct bpf_map *map, size_t buckets,
			  struct histograms *histograms)
{
	histograms->buckets = buckets;
	histograms->seen = xcalloc(rows->row_limit * rows->cpus * buckets, sizeof(uint32_t));
	histograms->sums = xcalloc(places_of(rows) * buckets, sizeof(uint64_t));
	return map_array(map, &histograms->now);
}

static int map_all(struct probe_rows *rows, const struct probes_bpf *object, unsigned measures)
{
	int rc = map_array(object->maps.slots, &rows->slots);

	if (rc == 0 && is_keyed(rows->key))
		rc = map_array(object->maps.row_names, &rows->names);
	if (rc == 0 && measures & PROBE_LATENCY)
		rc = map_histograms(rows, object->maps.latencies, PROBE_LATENCY_BUCKETS,
				    &rows->latencies);
	if (rc == 0 && measures & PROBE_VALUES)
		rc = map_histograms(rows, object->maps.values, PROBE_VALUE_BUCKETS, &rows->values);
	return rc;
}

int probe_rows_new(const struct probe_options *options, const struct probe_programs *programs,
		   const struct probe_room *room, struct probe_rows **ret_rows, struct err *err)
{
	_cleanup_(probe_rows_freep) struct probe_rows *rows = xcalloc(1, sizeof(*rows));
	struct probes_bpf *object = probe_programs_object(programs);
	int rc;

	rows->key = options->key;
	rows->target_count = options->target_count;
	rows->row_limit = room->rows;
	rows->cpus = room->cpus;
	rows->rows_given = &object->bss->rows_given;
	rc = map_all(rows, object, options->measures);
	if (rc < 0)
		return err_set(err, rc, "cannot map the tables of counts: %s", strerror(-rc));
	*ret_rows = steal_ptr(rows);
	return 0;
}

static void free_histograms(const struct histograms *histograms)
{
	unmap(&histograms->now);
	free(histograms->seen);
	free(histograms->sums);
}

void probe_rows_free(struct probe_rows *rows)
{
	if (!rows)
		return;
	unmap(&rows->slots);
	unmap(&rows->names);
	free_histograms(&rows->latencies);
	free_histograms(&rows->values);
	vec_free(&rows->rows);
	free(rows);
}

/* ---- histograms ---- */

/* Adds what slot @slot has counted since the last call to the sums of @place; returns those. */
static const uint64_t *add_histogram(const struct histograms *histograms, size_t slot, size_t place)
{
	const uint32_t *now = histograms->now.memory;
	uint32_t *seen = histograms->seen;
	uint64_t *sums = histograms->sums;

	if (!now)
		return NULL;
	now += slot * histograms->buckets;
	seen += slot * histograms->buckets;
	sums += place * histograms->buckets;
	for (size_t i = 0; i < histograms->buckets; i++) {
		uint32_t value = __atomic_load_n(&now[i], __ATOMIC_RELAXED);

		sums[i] += value - seen[i]; /* also right after a wrap at 2^32 */
		seen[i] = value;
	}
	return sums;
}

/* ---- slots ---- */

/* The time that open calls have taken up to @now_ns, and their number. */
static uint64_t open_ns(uint64_t word, uint64_t since_open_ns, uint64_t *ret_count)
{
	const uint64_t began_mask = (1ULL << PROBE_OPEN_COUNT_SHIFT) - 1;
	uint64_t count = word >> PROBE_OPEN_COUNT_SHIFT;

	*ret_count = count;
	return (count * (since_open_ns >> PROBE_OPEN_UNIT_SHIFT) - (word & began_mask))
	       << PROBE_OPEN_UNIT_SHIFT;
}

#define LOAD(field) __atomic_load_n(&slot->field, __ATOMIC_RELAXED)

static void add_slot(const struct probe_slot *slot, struct probe_counts *counts, uint64_t *open,
		     uint64_t *running)
{
	uint64_t longest_ns = LOAD(longest_ns);

	counts->entries += LOAD(entries);
	counts->exits += LOAD(exits);
	counts->wall_ns += LOAD(wall_ns);
	counts->virtual_ns += LOAD(virtual_ns);
	counts->nested += LOAD(nested);
	counts->errors += LOAD(errors);
	counts->moved += LOAD(moved);
	counts->too_deep += LOAD(too_deep);
	counts->jumps += LOAD(jumps);
	counts->timed += LOAD(timed);
	counts->abandoned += LOAD(abandoned);
	counts->unseen += LOAD(unseen);
	counts->switched += LOAD(switched);
	counts->died += LOAD(died);
	counts->unmatched += LOAD(unmatched);
	for (size_t i = 0; i < PROBE_SLOT_COUNTERS; i++)
		counts->counters[i] += LOAD(counters[i]);
	if (longest_ns > counts->longest_ns)
		counts->longest_ns = longest_ns;
	*open += LOAD(open);
	*running += LOAD(running);
}

/* On one CPU more may have been subtracted than was counted there: for calls that also ran on other
 * CPUs and have no duration. */
static void clamp(uint64_t *sum)
{
	if ((int64_t)*sum < 0)
		*sum = 0;
}

/* Reads row @row on the CPUs [first, end). */
static void read_row(struct probe_rows *rows, size_t row, size_t first, size_t end,
		     uint64_t since_open_ns, struct probe_row *result)
{
	const struct probe_slot *slots = rows->slots.memory;
	uint64_t open = 0, running = 0, on_cpu;

	for (size_t cpu = first; cpu < end; cpu++) {
		size_t slot = cpu * rows->row_limit + row;

		add_slot(&slots[slot], &result->counts, &open, &running);
		result->latency = add_histogram(&rows->latencies, slot, result->place);
		result->values = add_histogram(&rows->values, slot, result->place);
	}
	result->counts.wall_ns += open_ns(open, since_open_ns, &result->counts.inside);
	result->counts.virtual_ns += open_ns(running, since_open_ns, &on_cpu);
	clamp(&result->counts.virtual_ns);
	for (size_t i = 0; i < PROBE_SLOT_COUNTERS; i++)
		clamp(&result->counts.counters[i]);
}

static bool is_empty(const struct probe_row *row)
{
	return !row->counts.entries && !row->counts.unmatched && !row->counts.virtual_ns;
}

static void read_cpus(struct probe_rows *rows, uint64_t since_open_ns)
{
	for (size_t target = 0; target < rows->target_count; target++) {
		for (size_t cpu = 0; cpu < rows->cpus; cpu++) {
			struct probe_row row = { .target = target,
						 .place = target * rows->cpus + cpu,
						 .id = (int32_t)cpu,
						 .pid = -1 };

			read_row(rows, target, cpu, cpu + 1, since_open_ns, &row);
			if (!is_empty(&row))
				*vec_push(&rows->rows) = row;
		}
	}
}

static void read_sums(struct probe_rows *rows, uint64_t since_open_ns)
{
	for (size_t target = 0; target < rows->target_count; target++) {
		struct probe_row row = { .target = target, .place = target, .id = -1, .pid = -1 };

		read_row(rows, target, 0, rows->cpus, since_open_ns, &row);
		*vec_push(&rows->rows) = row;
	}
}

static void read_keys(struct probe_rows *rows, uint64_t since_open_ns)
{
	const struct probe_row_name *names = rows->names.memory;
	size_t count = *rows->rows_given < rows->row_limit ? *rows->rows_given : rows->row_limit;

	for (size_t i = 0; i < count; i++) {
		struct probe_row row = { .place = i, .id = -1, .pid = -1 };

		if (!__atomic_load_n(&names[i].used, __ATOMIC_ACQUIRE))
			continue;
		row.target = names[i].target;
		if (rows->key != PROBE_BY_COMM)
			row.id = (int32_t)names[i].id;
		if (rows->key == PROBE_BY_THREAD)
			row.pid = (int32_t)names[i].pid;
		memcpy(row.comm, names[i].comm, sizeof(row.comm));
		row.comm[sizeof(row.comm) - 1] = '\0';
		read_row(rows, i, 0, rows->cpus, since_open_ns, &row);
		*vec_push(&rows->rows) = row;
	}
}

DEFINE_ORDER(compare_rows, struct probe_row,
	     COMPARE(a->target, b->target) ?: COMPARE(a->place, b->place))

const struct probe_row *probe_rows_read(struct probe_rows *rows, uint64_t opened_ns,
					uint64_t now_ns, size_t *ret_count)
{
	uint64_t since_open_ns = now_ns > opened_ns ? now_ns - opened_ns : 0;

	rows->rows.count = 0;
	if (rows->key == PROBE_BY_SUM)
		read_sums(rows, since_open_ns);
	else if (rows->key == PROBE_BY_CPU)
		read_cpus(rows, since_open_ns);
	else
		read_keys(rows, since_open_ns);
	if (rows->rows.count)
		qsort(rows->rows.items, rows->rows.count, sizeof(*rows->rows.items), compare_rows);
	*ret_count = rows->rows.count;
	return rows->rows.items;
}
