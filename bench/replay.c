/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay RECORDING FOLDER COUNT SAMPLES: writes a history of COUNT segments of ten minutes, the last ten minutes among
 * them, into FOLDER. Each has SAMPLES samples, drawn from those of RECORDING, and its rows. It is the input of
 * history.sh.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/hashidx.h"
#include "base/vec.h"
#include "store/store.h"

enum { SEGMENT_S = 600, FLUSH_S = 10 };

struct replay {
	struct store_reader *reader;
	struct profile *profile;
	VEC(struct sample) samples;
	uint64_t start_ns; /* of the recording */
	time_t start_s;	   /* of the history */
	uint64_t random;
};

static int take(void *context, const struct sample *samples, size_t count)
{
	struct replay *replay = context;

	for (size_t i = 0; i < count; i++)
		*vec_push(&replay->samples) = samples[i];
	return 0;
}

static uint64_t draw(struct replay *replay, uint64_t below)
{
	replay->random = hash_u64(replay->random + 0x9e3779b97f4a7c15ULL);
	return replay->random % below;
}

static int load(struct replay *replay, const char *path, struct err *err)
{
	const struct sample_wish all = { 0, UINT64_MAX, SAMPLE_ALL, { 0 } };
	int rc = store_open(path, &replay->reader, err);

	if (rc == 0)
		rc = store_load_profile(replay->reader, &replay->profile, err);
	if (rc == 0)
		rc = store_each_batch(replay->reader, &all, take, replay, err);
	if (rc == 0 && !replay->samples.count)
		rc = err_set(err, -1, "%s has no samples", path);
	if (rc == 0)
		replay->start_ns = replay->profile->run.start_ns;
	return rc;
}

static void count_sample(struct event *event, const struct sample *sample)
{
	event->samples++;
	event->weight += sample->weight;
	*(sample->mode == MODE_USER ? &event->user_samples : &event->kernel_samples) += 1;
}

/* As a recorder writes: every ten seconds. */
static int write_samples(struct replay *replay, struct store_writer *writer, uint64_t count,
			 struct err *err)
{
	struct run_facts *run = &replay->profile->run;
	uint64_t step_ns = SEGMENT_S * NS_PER_S / count, each = count / (SEGMENT_S / FLUSH_S) + 1;
	int rc = 0;

	for (uint64_t i = 0; rc == 0 && i < count; i++) {
		struct sample sample = replay->samples.items[draw(replay, replay->samples.count)];

		sample.time_ns = run->start_ns + i * step_ns;
		count_sample(&replay->profile->events[sample.event], &sample);
		store_add(writer, &sample);
		if (i % each == each - 1)
			rc = store_flush(writer, err);
	}
	run->end_ns = run->start_ns + SEGMENT_S * NS_PER_S;
	return rc < 0 ? rc : store_flush(writer, err);
}

static int write_segment(struct replay *replay, const char *folder, uint64_t number, uint64_t count,
			 struct err *err)
{
	const time_t start_s = replay->start_s + (time_t)(number * SEGMENT_S);
	const struct timespec written[] = { { .tv_sec = start_s + SEGMENT_S },
					    { .tv_sec = start_s + SEGMENT_S } };
	struct run_facts *run = &replay->profile->run;
	struct store_writer *writer = NULL;
	char path[4096], name[32];
	struct tm tm;
	int rc;

	gmtime_r(&start_s, &tm);
	strftime(name, sizeof(name), "%Y%m%dT%H%M%SZ", &tm);
	snprintf(path, sizeof(path), "%s/%s.prof", folder, name);
	run->start_ns = replay->start_ns + number * SEGMENT_S * NS_PER_S;
	run->start_realtime_ns = (uint64_t)start_s * NS_PER_S;
	run->end_ns = 0;
	for (size_t i = 0; i < replay->profile->event_count; i++) {
		struct event *event = &replay->profile->events[i];

		event->samples = event->user_samples = event->kernel_samples = event->weight = 0;
	}
	rc = store_create(path, replay->profile, &writer, err);
	if (rc == 0)
		rc = write_samples(replay, writer, count, err);
	store_writer_free(writer);
	if (rc == 0)
		utimensat(AT_FDCWD, path, written, 0);
	return rc;
}

int main(int argc, char **argv)
{
	struct replay replay = { .random = 1 };
	struct err err = { "" };
	uint64_t count, samples;
	int rc;

	if (argc != 5) {
		fputs("usage: replay RECORDING FOLDER COUNT SAMPLES\n", stderr);
		return 2;
	}
	count = strtoull(argv[3], NULL, 10);
	samples = strtoull(argv[4], NULL, 10);
	replay.start_s = time(NULL) - (time_t)(count * SEGMENT_S);
	rc = samples ? load(&replay, argv[1], &err) : -1;
	for (uint64_t i = 0; rc == 0 && i < count; i++)
		rc = write_segment(&replay, argv[2], i, samples, &err);
	if (rc < 0)
		fprintf(stderr, "replay: %s\n", err.text);
	store_close(replay.reader);
	profile_free(replay.profile);
	vec_free(&replay.samples);
	return rc < 0;
}
