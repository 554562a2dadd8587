/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_rows.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "bpf/probe_wire.h"
#include "bpf/probes.skel.h"

/* An array map, mapped into memory. */
struct mapped {
	const void *memory; /* NULL: not mapped */
	size_t bytes;
};

struct probe_rows {
	enum probe_key key;
	size_t target_count, row_limit, cpus;
	struct mapped slots, latencies, values, names;
	const volatile uint32_t *rows_given; /* how many names may be in use */
	VEC(struct probe_row) rows;
	/* Histograms: the kernel's counts at the last reading, and their sums by place. */
	uint32_t *seen_latencies, *seen_values;
	uint64_t *latency_sums, *value_sums;
};

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

static int map_all(struct probe_rows *rows, const struct probes_bpf *object, unsigned measures)
{
	size_t slots = rows->row_limit * rows->cpus;
	int rc = map_array(object->maps.slots, &rows->slots);

	if (rc == 0 && is_keyed(rows->key))
		rc = map_array(object->maps.row_names, &rows->names);
	if (rc == 0 && measures & PROBE_LATENCY) {
		rc = map_array(object->maps.latencies, &rows->latencies);
		rows->seen_latencies = xcalloc(slots * PROBE_LATENCY_BUCKETS, sizeof(uint32_t));
		rows->latency_sums =
			xcalloc(places_of(rows) * PROBE_LATENCY_BUCKETS, sizeof(uint64_t));
	}
	if (rc == 0 && measures & PROBE_VALUES) {
		rc = map_array(object->maps.values, &rows->values);
		rows->seen_values = xcalloc(slots * PROBE_VALUE_BUCKETS, sizeof(uint32_t));
		rows->value_sums = xcalloc(places_of(rows) * PROBE_VALUE_BUCKETS, sizeof(uint64_t));
	}
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

void probe_rows_free(struct probe_rows *rows)
{
	if (!rows)
		return;
	unmap(&rows->slots);
	unmap(&rows->latencies);
	unmap(&rows->values);
	unmap(&rows->names);
	vec_free(&rows->rows);
	free(rows->seen_latencies);
	free(rows->seen_values);
	free(rows->latency_sums);
	free(rows->value_sums);
	free(rows);
}

/* ---- histograms ---- */

static void add_histogram(const uint32_t *now, uint32_t *seen, uint64_t *sums, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t value = __atomic_load_n(&now[i], __ATOMIC_RELAXED);

		sums[i] += value - seen[i]; /* also right after a wrap at 2^32 */
		seen[i] = value;
	}
}

/* Adds what slot @slot has counted since the last call to the sums of @place. */
static void add_histograms(struct probe_rows *rows, size_t slot, size_t place)
{
	const struct probe_latency *latencies = rows->latencies.memory;
	const struct probe_values *values = rows->values.memory;

	if (latencies)
		add_histogram(latencies[slot].buckets,
			      rows->seen_latencies + slot * PROBE_LATENCY_BUCKETS,
			      rows->latency_sums + place * PROBE_LATENCY_BUCKETS,
			      PROBE_LATENCY_BUCKETS);
	if (values)
		add_histogram(values[slot].buckets, rows->seen_values + slot * PROBE_VALUE_BUCKETS,
			      rows->value_sums + place * PROBE_VALUE_BUCKETS, PROBE_VALUE_BUCKETS);
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
		add_slot(&slots[cpu * rows->row_limit + row], &result->counts, &open, &running);
		add_histograms(rows, cpu * rows->row_limit + row, result->place);
	}
	result->counts.wall_ns += open_ns(open, since_open_ns, &result->counts.inside);
	result->counts.virtual_ns += open_ns(running, since_open_ns, &on_cpu);
	clamp(&result->counts.virtual_ns);
	for (size_t i = 0; i < PROBE_SLOT_COUNTERS; i++)
		clamp(&result->counts.counters[i]);
	if (rows->latency_sums)
		result->latency = rows->latency_sums + result->place * PROBE_LATENCY_BUCKETS;
	if (rows->value_sums)
		result->values = rows->value_sums + result->place * PROBE_VALUE_BUCKETS;
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

static int compare_rows(const void *a, const void *b)
{
	const struct probe_row *left = a, *right = b;

	if (left->target != right->target)
		return left->target < right->target ? -1 : 1;
	return left->place < right->place ? -1 : left->place > right->place;
}

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
