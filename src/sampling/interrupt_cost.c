/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampling/interrupt_cost.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/compare.h"
#include "base/file.h"
#include "base/owner.h"
#include "sampling/sampler.h"
#include "store/state_files.h"

enum {
	PAIRS = 15,
	LOOP_MS = 30,	 /* one run of the loop */
	RATE_HZ = 10000, /* high, so that the cost exceeds the noise */
	BOOT_ID_BYTES = 64,
};

#define COST_FILE "interrupt-cost"

/* Fixed work in registers only, so that nothing but interrupts can slow it down. */
static uint64_t work(uint64_t rounds)
{
	uint64_t value = rounds;

	for (uint64_t i = 0; i < rounds; i++) {
		value = value * 6364136223846793005ULL + 1442695040888963407ULL;
		__asm__ volatile("" : "+r"(value));
	}
	return value;
}

/* CPU time includes interrupts of our thread, but not the time of other threads on this CPU. */
static uint64_t time_work(uint64_t rounds)
{
	uint64_t start = clock_read(CLOCK_THREAD_CPUTIME_ID);

	work(rounds);
	return clock_read(CLOCK_THREAD_CPUTIME_ID) - start;
}

static uint64_t rounds_for(uint64_t wanted_ns)
{
	uint64_t rounds = 1 << 16;
	uint64_t took = 0;

	while ((took = time_work(rounds)) < wanted_ns / 4)
		rounds *= 2;
	return rounds * wanted_ns / (took ? took : 1);
}

static void count_sample(void *context, const struct perf_record *record)
{
	if (record->type == PERF_RECORD_SAMPLE)
		++*(uint64_t *)context;
}

DEFINE_ORDER(by_value, double, COMPARE(*a, *b))

void interrupt_cost_quartiles(double *values, unsigned count, struct interrupt_cost *ret_cost)
{
	qsort(values, count, sizeof(*values), by_value);
	ret_cost->low_ns = values[count / 4];
	ret_cost->ns =
		count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
	ret_cost->high_ns = values[count - 1 - count / 4];
}

/* One pair of runs, without and with sampling. Sets the cost per tick of the second run. */
static bool measure_pair(struct sampler *sampler, uint64_t rounds, double *ret_ns, uint64_t *ticks)
{
	uint64_t before = *ticks, without, with;

	without = time_work(rounds);
	sampler_enable(sampler);
	with = time_work(rounds);
	sampler_disable(sampler);
	sampler_drain(sampler, UINT64_MAX, count_sample, ticks);
	if (*ticks == before)
		return false;
	*ret_ns = ((double)with - (double)without) / (double)(*ticks - before);
	return true;
}

int interrupt_cost_measure(struct interrupt_cost *ret_cost, struct err *err)
{
	pid_t self = getpid();
	struct sampler_options options = { .rate_hz = RATE_HZ, .tids = &self, .tid_count = 1 };
	uint64_t rounds = rounds_for(LOOP_MS * NS_PER_MS);
	struct interrupt_cost cost = { 0 };
	double values[PAIRS];
	unsigned count = 0;
	struct sampler *sampler;
	int rc = sampler_open(&options, &sampler, err);

	if (rc < 0)
		return rc;
	for (int i = 0; i < PAIRS; i++)
		count += measure_pair(sampler, rounds, &values[count], &cost.ticks);
	sampler_free(sampler);
	if (count == 0)
		return err_set(err, -ENODATA,
			       "no sample arrived while the cost of an interrupt was measured");
	interrupt_cost_quartiles(values, count, &cost);
	if (cost.ns < 0)
		cost.ns = 0;
	*ret_cost = cost;
	return 0;
}

/* ---- the measurement of this boot ---- */

static bool read_boot_id(char *ret_id)
{
	struct buf text = { 0 };
	bool ok = file_read("/proc/sys/kernel/random/boot_id", BOOT_ID_BYTES, &text) == 0;

	if (ok)
		snprintf(ret_id, BOOT_ID_BYTES, "%.36s", buf_text(&text));
	buf_done(&text);
	return ok;
}

int interrupt_cost_load(struct interrupt_cost *ret_cost)
{
	char path[STATE_PATH_MAX], boot[BOOT_ID_BYTES], kept[BOOT_ID_BYTES];
	struct buf text = { 0 };
	struct interrupt_cost cost = { 0 };
	struct owner owner;
	int rc;

	owner_find(&owner);
	owner_begin(&owner);
	rc = state_path(&owner, COST_FILE, path, sizeof(path), NULL);
	if (rc == 0)
		rc = file_read(path, 4096, &text);
	owner_end(&owner);
	if (rc == 0 && (!read_boot_id(boot) ||
			sscanf(buf_text(&text), "%63s %lf %lf %lf", kept, &cost.ns, &cost.low_ns,
			       &cost.high_ns) != 4 ||
			strcmp(kept, boot) != 0 || !(cost.ns >= 0 && cost.ns < 1e9)))
		rc = -ENOENT;
	buf_done(&text);
	if (rc == 0)
		*ret_cost = cost;
	return rc;
}

static int write_cost(const char *path, const struct interrupt_cost *cost)
{
	char boot[BOOT_ID_BYTES];
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	int rc = 0;

	if (fd < 0)
		return -errno;
	if (!read_boot_id(boot) ||
	    dprintf(fd, "%s %.0f %.0f %.0f\n", boot, cost->ns, cost->low_ns, cost->high_ns) < 0)
		rc = -EIO;
	return close(fd) < 0 ? -errno : rc;
}

int interrupt_cost_save(const struct interrupt_cost *cost, struct err *err)
{
	char path[STATE_PATH_MAX];
	struct owner owner;
	int rc;

	owner_find(&owner);
	rc = state_make_folder(&owner, err);
	if (rc < 0)
		return rc;
	owner_begin(&owner);
	rc = state_path(&owner, COST_FILE, path, sizeof(path), err);
	if (rc == 0)
		rc = write_cost(path, cost);
	owner_end(&owner);
	return rc < 0 ? err_set(err, rc, "cannot save the cost of an interrupt in %s: %s", path,
				strerror(-rc))
		      : 0;
}
