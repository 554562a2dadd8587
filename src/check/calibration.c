/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check/check.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aggregate/account/account.h"
#include "aggregate/estimate.h"
#include "base/clock.h"
#include "base/file.h"
#include "record/record.h"
#include "store/store.h"

static const double certainty = 0.9999; /* for all comparisons together */

enum { MAX_TRUTHS_BYTES = 65536 };

/* One line of the program's output. */
struct truth {
	char part[32], key[16], name[64];
	uint64_t ns;
};

/* The samples of one part, or of one item of it. */
struct sum {
	double weight, squared;
	uint64_t samples;
};

struct recorded {
	struct profile *profile;
	struct totals totals;
};

static void recorded_done(struct recorded *recorded)
{
	vec_free(&recorded->totals.rows);
	profile_free(recorded->profile);
}

static int load(const char *path, struct recorded *ret_recorded, struct err *err)
{
	struct recorded recorded = { 0 };
	struct store_reader *reader;
	int rc = store_open(path, &reader, err);

	if (rc < 0)
		return rc;
	rc = store_load_profile(reader, &recorded.profile, err);
	if (rc == 0)
		rc = store_load_totals(reader, &recorded.totals, err);
	store_close(reader);
	if (rc < 0)
		recorded_done(&recorded);
	else
		*ret_recorded = recorded;
	return rc;
}

static bool is_named(const struct profile *profile, str_id id, const char *name)
{
	return strcmp(profile_text(profile, id), name) == 0;
}

/* True if @total counts for @truth: its thread, mode, program or symbol has the truth's name. */
static bool matches(const struct profile *profile, const struct total *total,
		    const struct truth *truth)
{
	const struct task *task = &profile->tasks.items[total->task];
	const struct frame *leaf =
		&profile->frames.items[profile->stacks.items[total->stack].frame];

	if (strcmp(truth->key, "thread") == 0)
		return is_named(profile, task->comm, truth->name);
	if (strcmp(truth->key, "mode") == 0)
		return strcmp(mode_name(total->mode), truth->name) == 0;
	if (strcmp(truth->key, "program") == 0)
		return is_named(profile, profile->processes.items[task->process].program,
				truth->name);
	return is_named(profile, profile->symbols.items[leaf->symbol].name, truth->name);
}

/* True if @total belongs to the total that the truth is a share of. Interrupts run in kernel mode
 * whatever function they hit, so functions are compared within user mode. */
static bool is_in_whole(const struct total *total, const struct truth *truth)
{
	return strcmp(truth->key, "symbol") != 0 || total->mode == MODE_USER;
}

/* Sums the clock's samples of the truth's part: all (@whole), or only those of the truth. */
static struct sum add_up(const struct recorded *recorded, const struct truth *truth, bool whole)
{
	const struct profile *profile = recorded->profile;
	struct sum sum = { 0 };

	for (size_t i = 0; i < recorded->totals.rows.count; i++) {
		const struct total *total = &recorded->totals.rows.items[i];
		const struct task *task = &profile->tasks.items[total->task];

		if (total->event != 0 || !is_named(profile, task->comm, truth->part) ||
		    !is_in_whole(total, truth) || (!whole && !matches(profile, total, truth)))
			continue;
		sum.weight += (double)total->weight;
		sum.squared += total->weight_squared;
		sum.samples += total->samples;
	}
	return sum;
}

/* The CPU time of all truths of one part with the same key. */
static uint64_t whole_ns(const struct truth *truths, size_t count, const struct truth *of)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(truths[i].key, of->key) == 0 && strcmp(truths[i].part, of->part) == 0)
			sum += truths[i].ns;
	}
	return sum;
}

/* The weight of samples lost on the whole machine: all of it may belong to one part. If process
 * records were dropped, any sample may be charged to the wrong process. */
static double lost_weight(const struct event *clock)
{
	bool is_known = !clock->loss[LOSS_TRACKING].count && !clock->loss[LOSS_UNKNOWN_TASK].count;
	double weight = is_known ? 0 : (double)clock->weight;

	for (int i = 0; i < LOSS_COUNT; i++) {
		if (account_takes_samples((enum loss_reason)i))
			weight += (double)clock->loss[i].weight;
	}
	return weight;
}

/* A period lasts until the next drain, 0.1 s. Some periods that may be drawn are in step with the
 * beat: then all samples until the next drain hit the same half of it. In simulation, a part had
 * more than two such periods less than once in 10,000 runs. */
static double in_step_weight(const struct truth *truth)
{
	return strcmp(truth->part, "check-rhythm") == 0 ? 0.2 * NS_PER_S : 0;
}

static void compare_share(const struct recorded *recorded, const struct truth *truth,
			  uint64_t of_ns, double z, struct calibration_result *result)
{
	struct sum whole = add_up(recorded, truth, true);
	struct sum part = add_up(recorded, truth, false);
	struct interval interval =
		estimate_share_within(z, part.weight, whole.weight, whole.squared);

	interval = estimate_with_loss(interval, whole.weight,
				      lost_weight(&recorded->profile->events[0]) +
					      in_step_weight(truth));
	result->is_share = true;
	snprintf(result->what, sizeof(result->what), "%s", truth->name);
	result->truth = of_ns ? 100.0 * (double)truth->ns / (double)of_ns : 0;
	result->measured = whole.weight > 0 ? 100 * part.weight / whole.weight : 0;
	result->low = 100 * interval.low;
	result->high = 100 * interval.high;
}

/* The interval of a measured time: the noise of counting ticks, the time lost by name, and the time
 * that the hypervisor took, which samples contain and the kernel's CPU times do not. Either may
 * belong to one part. */
static void compare_time(const struct recorded *recorded, const struct truth *truth, double z,
			 struct calibration_result *result)
{
	const struct event *clock = &recorded->profile->events[0];
	struct sum sum = add_up(recorded, truth, true);
	double period_s = 1 / clock->rate_hz;
	double truth_s = (double)truth->ns / NS_PER_S;
	double reach_s = z * sqrt(truth_s / period_s + 1) * period_s;
	double lost_s = lost_weight(clock) / NS_PER_S;
	double steal_s = (double)recorded->profile->run.steal_ns / NS_PER_S;

	snprintf(result->what, sizeof(result->what), "CPU time, s");
	result->truth = truth_s;
	result->measured = sum.weight / NS_PER_S;
	result->low = fmax(result->measured - reach_s - steal_s, 0);
	result->high = result->measured + reach_s + lost_s;
}

/* False if only user mode is sampled and the part also ran in the kernel. */
static bool is_visible(const struct recorded *recorded, const struct truth *truths, size_t count,
		       const struct truth *truth)
{
	if (recorded->profile->events[0].kernel_samples)
		return true;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(truths[i].key, "mode") == 0 && strcmp(truths[i].part, truth->part) == 0)
			return false;
	}
	return true;
}

static void compare(const struct recorded *recorded, const struct truth *truths, size_t count,
		    struct calibration *calibration)
{
	double z = estimate_z(certainty, (unsigned)count);

	calibration->right = true;
	calibration->samples = recorded->profile->events[0].samples;
	calibration->lost = account_lost_samples(&recorded->profile->events[0]);
	for (size_t i = 0; i < count; i++) {
		const struct truth *truth = &truths[i];
		struct calibration_result *result;

		if (!is_visible(recorded, truths, count, truth))
			continue;
		result = vec_push(&calibration->results);
		memset(result, 0, sizeof(*result));
		snprintf(result->part, sizeof(result->part), "%s", truth->part);
		if (strcmp(truth->key, "thread") == 0)
			compare_time(recorded, truth, z, result);
		else
			compare_share(recorded, truth, whole_ns(truths, count, truth), z, result);
		result->right = result->truth >= result->low && result->truth <= result->high;
		calibration->right &= result->right;
	}
}

typedef VEC(struct truth) truth_vec;

static int read_truths(const char *path, truth_vec *truths, struct err *err)
{
	struct buf text = { 0 };
	int rc = file_read(path, MAX_TRUTHS_BYTES, &text);
	char *save = NULL;

	if (rc == 0 && text.size == 0)
		rc = -ENODATA;
	for (char *line = rc == 0 ? strtok_r(text.bytes, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct truth truth;
		unsigned long long ns;

		if (sscanf(line, "%31s %15s %63s %llu", truth.part, truth.key, truth.name, &ns) !=
		    4)
			continue;
		truth.ns = ns;
		*vec_push(truths) = truth;
	}
	buf_done(&text);
	return rc < 0 ? err_set(err, rc, "the calibration program wrote no results: %s",
				strerror(-rc))
		      : 0;
}

/* Records the program into a file of its own. */
static int record_program(char *const *argv, double rate_hz, const char *path, struct err *err)
{
	struct record_options options = {
		.argv = argv, .rate_hz = rate_hz, .flush_cs = 200, .output = path
	};
	struct record_result result;
	int rc = record_run(&options, &result, err);

	if (rc == 0 && command_outcome_exit_status(&result.outcome, rc) != 0)
		rc = err_set(err, -EIO, "the calibration program failed");
	return rc;
}

int calibration_run(char *const *argv, const char *truth_path, double rate_hz,
		    struct calibration *ret_calibration, struct err *err)
{
	struct calibration calibration = { 0 };
	struct recorded recorded = { 0 };
	truth_vec truths = { 0 };
	char path[4096];
	int rc;

	snprintf(path, sizeof(path), "%.4000s.prof", truth_path);
	rc = record_program(argv, rate_hz, path, err);
	if (rc == 0)
		rc = read_truths(truth_path, &truths, err);
	if (rc == 0)
		rc = load(path, &recorded, err);
	if (rc == 0) {
		compare(&recorded, truths.items, truths.count, &calibration);
		recorded_done(&recorded);
		*ret_calibration = calibration;
	}
	unlink(path);
	vec_free(&truths);
	return rc;
}

void calibration_done(struct calibration *calibration)
{
	vec_free(&calibration->results);
}
