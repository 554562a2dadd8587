/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/views.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/last_act.h"
#include "base/xalloc.h"
#include "foreign/door.h"
#include "store/record_output.h"
#include "store/salvage/recover.h"
#include "store/store.h"

DEFINE_CLEANUP(struct recovery *, recovery_free);

/* ---- reading ---- */

/* Opens the journal if it belongs to the profile's owner or to us; any other is not of this
 * recording. Returns the descriptor, or -1. */
static int open_journal(const char *input, int profile)
{
	_cleanup_free_ char *real = realpath(input, NULL);
	_cleanup_free_ char *path = xasprintf("%s-journal", real ? real : input);
	struct stat one, other;
	struct err err;
	int fd = door_open_typed(path, &err);

	if (fd < 0)
		return -1;
	if (fstat(profile, &one) == 0 && fstat(fd, &other) == 0 &&
	    (other.st_uid == one.st_uid || other.st_uid == geteuid()))
		return fd;
	close(fd);
	return -1;
}

static int open_recovery(const char *input, int profile, int journal,
			 struct recovery **ret_recovery, struct err *err)
{
	if (flock(profile, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return err_set(err, -EBUSY, "%s is being recorded: stop that recording first",
			       input);
	return recovery_open(profile, journal, input, ret_recovery, err);
}

/* ---- writing ---- */

/* a.prof to a.recovered.prof; without ".prof" appends the new ending. */
static char *name_beside(const char *input)
{
	static const char end[] = ".prof";
	size_t length = strlen(input), tail = strlen(end);

	if (length > tail && strcmp(input + length - tail, end) == 0)
		length -= tail;
	return xasprintf("%.*s.recovered.prof", (int)length, input);
}

static int check_output(const char *output, struct err *err)
{
	struct stat there;
	int rc = record_output_check(output, err);

	if (rc)
		return rc;
	if (lstat(output, &there) == 0)
		return err_set(err, -EEXIST, "%s exists already: choose a new file with -o",
			       output);
	return 0;
}

enum { FLUSH_SAMPLES = STORE_MAX_PENDING / 2 };

/* The destination of samples. */
struct copy {
	struct record_output output;
	struct recovery *recovery;
	struct err err; /* why writing failed */
};

static int take_samples(void *context, const struct sample *samples, size_t count)
{
	struct copy *copy = context;

	for (size_t i = 0; i < count; i++)
		store_add(copy->output.writer, &samples[i]);
	if (store_pending(copy->output.writer) < FLUSH_SAMPLES)
		return 0;
	return record_output_flush(&copy->output, &copy->err);
}

/* Writes the end of the run last: until then the file says that it is incomplete. */
static int copy_samples(struct copy *copy, struct err *err)
{
	struct profile *profile = recovery_profile(copy->recovery);
	uint64_t end_ns = profile->run.end_ns;
	int rc;

	profile->run.end_ns = 0;
	copy->err.text[0] = '\0';
	rc = recovery_each_batch(copy->recovery, take_samples, copy, err);
	profile->run.end_ns = end_ns;
	if (!rc)
		rc = record_output_flush(&copy->output, &copy->err);
	return rc && copy->err.text[0] ? err_set(err, rc, "%s", copy->err.text) : rc;
}

static void remove_file(void *context)
{
	record_output_remove(context);
}

static int write_copy(struct copy *copy, const char *output, struct err *err)
{
	_cleanup_(last_act_cancelp) struct last_act *removal = last_act_new();
	int rc = record_output_open(&copy->output, output, recovery_profile(copy->recovery), err);

	if (rc)
		return rc;
	last_act_begin(removal, remove_file, &copy->output);
	rc = copy_samples(copy, err);
	last_act_cancel(steal_ptr(removal));
	if (!rc)
		rc = record_output_publish(&copy->output, err);
	record_output_discard(&copy->output);
	record_output_done(&copy->output);
	return rc;
}

/* ---- messages ---- */

static void add_row(struct buf *text, const struct recover_count *count, bool table)
{
	_cleanup_free_ char *name = xasprintf("%s%s", table ? "table " : "", count->name);

	buf_printf(text, "%-14s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n", name, count->saved,
		   count->missing, count->unverified);
}

/* Samples and blocks first, then the tables with missing or unverified rows. */
static void describe(const struct recover_state *state, struct recover_result *result)
{
	buf_printf(&result->table, "%-14s %12s %12s %12s\n", "", "saved", "missing",
		   "not verified");
	result->complete = true;
	for (size_t i = 0; i < state->count; i++) {
		const struct recover_count *count = &state->counts[i];
		bool table = i >= 2;

		if (!table || count->missing || (count->unverified && state->verified))
			add_row(&result->table, count, table);
		result->complete = result->complete && !count->missing;
	}
}

static void remark(const struct recover_state *state, struct buf *text)
{
	if (!state->verified)
		buf_add_str(text,
			    "the file has no readable checksums: nothing could be verified\n");
	if (state->journal_used && !state->journal_bad)
		buf_add_str(text, "an unfinished write was rolled back with its journal\n");
	if (state->journal_bad)
		buf_add_str(text, "the journal is damaged: an unfinished write could not be rolled "
				  "back, or only partly\n");
	if (state->words)
		buf_add_str(text, "the meaning of its modes, contexts and kinds was taken from "
				  "this version of prospect\n");
	if (state->circles)
		buf_printf(text, "%" PRIu64 " processes were their own ancestors\n",
			   state->circles);
}

static int recover(const char *input, const char *output, int profile, int journal,
		   struct recover_result *result, struct err *err)
{
	_cleanup_(recovery_freep) struct recovery *recovery = NULL;
	struct copy copy = { .recovery = NULL };
	struct recover_state state;
	int rc = open_recovery(input, profile, journal, &recovery, err);

	if (rc)
		return rc;
	copy.recovery = recovery;
	rc = write_copy(&copy, output, err);
	if (rc)
		return rc;
	state = recovery_state(recovery);
	result->samples = state.counts[0].saved;
	snprintf(result->path, sizeof(result->path), "%s", output);
	describe(&state, result);
	remark(&state, &result->remark);
	return 0;
}

int recover_run(const char *input, const char *output, struct recover_result *ret_result,
		struct err *err)
{
	_cleanup_free_ char *beside = output ? NULL : name_beside(input);
	_cleanup_close_ int journal = -1;
	_cleanup_close_ int profile = -1;
	int rc = check_output(output ? output : beside, err);

	*ret_result = (struct recover_result){ .complete = false };
	if (rc)
		return rc;
	profile = door_open_typed(input, err);
	if (profile < 0)
		return err_prefix(err, profile, "cannot open %s", input);
	journal = open_journal(input, profile);
	return recover(input, output ? output : beside, profile, journal, ret_result, err);
}
