/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A damaged profile is recovered, and what that writes is a profile with as many samples as were
 * said to be saved. An input is what is wrong with the file: profile_changes.h.
 */
#include "profile_changes.h"
#include "store/salvage/recover.h"
#include "target.h"

static volatile uint64_t sink;

static const char *saved_path(void)
{
	static char path[96];

	if (!path[0])
		snprintf(path, sizeof(path), "%s/saved.prof", fuzz_folder());
	return path;
}

static int store_samples(void *context, const struct sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!store_add(context, &samples[i]))
			abort();
	}
	return 0;
}

/* Returns how many were saved. */
static uint64_t write_saved(struct recovery *recovery)
{
	struct store_writer *writer;
	struct recover_state state;
	struct err err;

	unlink(saved_path());
	if (store_create(saved_path(), recovery_profile(recovery), &writer, &err) < 0 ||
	    recovery_each_batch(recovery, store_samples, writer, &err) < 0 ||
	    store_flush(writer, &err) < 0)
		abort();
	store_writer_free(writer);
	state = recovery_state(recovery);
	for (size_t i = 0; i < state.count; i++) {
		if (state.counts[i].unverified > state.counts[i].saved)
			abort();
		sink += strlen(state.counts[i].name) + state.counts[i].missing;
	}
	return state.counts[0].saved;
}

static int count_sample(void *context, const struct sample *sample)
{
	++*(uint64_t *)context;
	sink += sample->weight;
	return 0;
}

static void check_saved(uint64_t saved)
{
	struct store_reader *reader;
	struct profile *profile;
	uint64_t read = 0;
	struct err err;

	if (store_open(saved_path(), &reader, &err) < 0 ||
	    store_load_profile(reader, &profile, &err) < 0 ||
	    fixture_each_sample(reader, 0, UINT64_MAX, count_sample, &read, &err) < 0 ||
	    read != saved)
		abort();
	profile_free(profile);
	store_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct base *base = changed_profile(bytes, size);
	int fd = open(base->path, O_RDONLY | O_CLOEXEC);
	int journal = open(base->journal, O_RDONLY | O_CLOEXEC);
	struct recovery *recovery;
	struct err err;

	if (fd < 0)
		abort();
	if (recovery_open(fd, journal, "a.prof", &recovery, &err) == 0) {
		check_saved(write_saved(recovery));
		recovery_free(recovery);
	}
	if (journal >= 0)
		close(journal);
	close(fd);
	return 0;
}
