/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/salvage/recover.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/checksum.h"
#include "base/search.h"
#include "base/xalloc.h"
#include "store/checksums.h"
#include "store/facts.h"
#include "store/packed.h"
#include "store/rows.h"
#include "store/salvage/salvage.h"
#include "store/schema.h"
#include "store/sql.h"
#include "store/store.h"

enum { COUNT_SAMPLES, COUNT_BLOCKS, COUNT_TABLES, MOST_COUNTS = 32 };

struct recovery {
	struct salvage salvage;
	struct wordlist_map words;
	struct profile *profile; /* owned */
	struct recover_rows rows;
	struct recover_count counts[MOST_COUNTS];
	size_t count;
	uint64_t written; /* samples that were written, by blocks and checksums */
	struct event events[PROFILE_MAX_EVENTS]; /* as the file has them */
	uint64_t assumed;
	bool verified;
	bool strict; /* the journal is damaged, so unverified rows may be of an unfinished write */
	struct packed_samples samples; /* of the current block */
};

DEFINE_CLEANUP(struct recovery *, recovery_free);

/* ---- tables ---- */

static struct recover_count *count_of(struct recovery *recovery, const char *name)
{
	size_t i = 0;

	while (i < recovery->count && strcmp(recovery->counts[i].name, name) != 0)
		i++;
	if (i == recovery->count)
		recovery->counts[recovery->count++] = (struct recover_count){ .name = name };
	return &recovery->counts[i];
}

static void note_verdict(struct recovery *recovery, const char *table,
			 const struct verdict *verdict)
{
	struct recover_count *count = count_of(recovery, table);

	count->saved = verdict->kept;
	count->unverified = verdict->unverified;
	if (verdict->written > verdict->kept)
		count->missing = verdict->written - verdict->kept;
}

/* Counts rows as missing that passed the checksums, or had none, but are invalid. */
static void note_wrong(struct recovery *recovery, const char *table, uint64_t wrong)
{
	struct recover_count *count = count_of(recovery, table);

	wrong = wrong < count->saved ? wrong : count->saved;
	count->saved -= wrong;
	count->missing += wrong;
	if (count->unverified > count->saved)
		count->unverified = count->saved;
}

static int judge(struct recovery *recovery)
{
	sqlite3 *db = recovery->salvage.db;
	struct verdict verdict;
	int rc = 0;

	count_of(recovery, "samples");
	count_of(recovery, "blocks");
	for (size_t i = 0; !rc && i < checksums_row_tables; i++) {
		rc = verdict_rows(db, checksums_rows[i].table, recovery->strict, &verdict);
		if (!rc)
			note_verdict(recovery, checksums_rows[i].table, &verdict);
	}
	for (size_t i = 0; !rc && i < checksums_key_tables; i++) {
		rc = verdict_keys(db, checksums_keys[i].table, recovery->strict, &verdict);
		if (!rc)
			note_verdict(recovery, checksums_keys[i].table, &verdict);
	}
	return rc;
}

/* ---- the profile ---- */

static int read_facts(struct recovery *recovery)
{
	uint64_t facts = 0, losses = 0, branches = 0;
	sqlite3 *db = recovery->salvage.db;
	int rc = facts_read_sound(db, recovery->profile, &facts, &losses);

	if (!rc)
		rc = branch_rows_read_sound(db, recovery->profile, &branches);
	note_wrong(recovery, "header", facts);
	note_wrong(recovery, "loss", losses);
	note_wrong(recovery, "branch", branches);
	/* The new file is not the recording's own. */
	recovery->profile->run.file_inode = recovery->profile->run.file_birth_ns = 0;
	return rc;
}

/* Gaps between ids are missing rows, whatever the checksums say. */
static void note_gaps(struct recovery *recovery, enum table_id table)
{
	const struct recover_ids *ids = &recovery->rows.ids[table];
	struct recover_count *count = count_of(recovery, columns_tables[table].name);
	uint64_t gaps = 0;

	note_wrong(recovery, columns_tables[table].name, ids->wrong);
	for (size_t id = 0; id < ids->known; id++)
		gaps += !ids->read.items[id];
	if (count->missing < gaps)
		count->missing = gaps;
}

static int read_profile(struct recovery *recovery)
{
	sqlite3 *db = recovery->salvage.db;
	const struct raw_pages *pages = &recovery->salvage.pages;
	struct err why;
	int rc = verdict_add_words(db, &recovery->assumed);

	if (!rc)
		rc = wordlist_read(&(struct table_source){ .db = db }, &recovery->words, &why);
	if (!rc)
		rc = recover_rows_read(&recovery->rows, db, &recovery->words, recovery->profile,
				       (uint64_t)pages->count * pages->page_bytes);
	for (int i = 0; !rc && i < TABLE_COUNT; i++)
		note_gaps(recovery, (enum table_id)i);
	return rc ? rc : read_facts(recovery);
}

int recovery_open(int fd, int journal, const char *name, struct recovery **ret_recovery,
		  struct err *err)
{
	_cleanup_(recovery_freep) struct recovery *recovery = xcalloc(1, sizeof(*recovery));
	uint64_t one;
	int rc;

	recovery->profile = profile_new();
	rc = salvage_open(&recovery->salvage, fd, journal, name, err);
	if (rc)
		return rc;
	rc = sql_number(recovery->salvage.db, "SELECT 1 FROM checksum", &one);
	recovery->verified = rc > 0;
	recovery->strict = rc > 0 && recovery->salvage.pages.journal_bad;
	if (rc >= 0)
		rc = judge(recovery);
	if (!rc)
		rc = read_profile(recovery);
	if (rc)
		return err_set(err, rc, "cannot recover %s: %s", name, strerror(-rc));
	memcpy(recovery->events, recovery->profile->events, sizeof(recovery->events));
	for (size_t i = 0; i < PROFILE_MAX_EVENTS; i++) {
		struct event *event = &recovery->profile->events[i];

		event->samples = event->user_samples = event->kernel_samples = event->weight = 0;
	}
	*ret_recovery = steal_ptr(recovery);
	return 0;
}

void recovery_free(struct recovery *recovery)
{
	if (!recovery)
		return;
	vec_free(&recovery->samples.rows);
	recover_rows_done(&recovery->rows);
	salvage_done(&recovery->salvage);
	profile_free(recovery->profile);
	free(recovery);
}

struct profile *recovery_profile(struct recovery *recovery)
{
	return recovery->profile;
}

/* ---- samples ---- */

/* False: the sample is invalid. */
static bool translate(struct recovery *recovery, struct sample *sample)
{
	unsigned mode = wordlist_ours(&recovery->words, WORDLIST_MODE, sample->mode);
	unsigned context = wordlist_ours(&recovery->words, WORDLIST_CONTEXT, sample->context);

	if (mode == WORDLIST_UNKNOWN || context == WORDLIST_UNKNOWN ||
	    !recover_rows_event(&recovery->rows, sample->event))
		return false;
	sample->mode = (uint8_t)mode;
	sample->context = (uint8_t)context;
	sample->stack = recover_rows_stack(&recovery->rows, sample->stack);
	sample->task = recover_rows_task(&recovery->rows, sample->task);
	store_count(recovery->profile, sample);
	return true;
}

/* Keeps the valid samples of a block. */
static void translate_all(struct recovery *recovery)
{
	struct sample *samples = recovery->samples.rows.items;
	size_t kept = 0;

	for (size_t i = 0; i < recovery->samples.rows.count; i++) {
		struct sample sample = samples[i];

		if (translate(recovery, &sample))
			samples[kept++] = sample;
	}
	recovery->samples.rows.count = kept;
}

/* Unpacks a block if it is as written: 1, 0 or a negative errno. *ret_written: how many samples it
 * had, if known; *ret_proven: it has a checksum. */
static int unpack(struct recovery *recovery, const struct salvage_block *block,
		  uint64_t *ret_written, bool *ret_proven)
{
	struct raw_value data;
	uint64_t samples = 0;
	uint32_t crc;
	int there = verdict_block(recovery->salvage.db, block->id, ret_written, &crc);
	bool readable = salvage_read_block(&recovery->salvage, block, &samples, &data);

	if (there < 0)
		return there;
	*ret_proven = there;
	if (!there)
		*ret_written = readable && samples <= PACKED_MAX_SAMPLES ? samples : 0;
	if (!readable || samples != *ret_written ||
	    (there && crc != checksum_add(0, data.bytes, data.size)))
		return 0;
	if (packed_decode(data.bytes, data.size, block->id >> SCHEMA_BLOCK_PART_BITS, SAMPLE_ALL,
			  &recovery->samples) ||
	    recovery->samples.rows.count != samples)
		return 0;
	return 1;
}

static int take_block(struct recovery *recovery, const struct salvage_block *block,
		      int (*visit)(void *context, const struct sample *samples, size_t count),
		      void *context)
{
	struct recover_count *blocks = &recovery->counts[COUNT_BLOCKS];
	struct recover_count *samples = &recovery->counts[COUNT_SAMPLES];
	uint64_t written = 0;
	bool proven = false;
	int rc = unpack(recovery, block, &written, &proven);

	if (rc < 0)
		return rc;
	/* It may be an obsolete block. */
	if (block->lost && !proven && recovery->verified)
		return 0;
	recovery->written += written;
	if (!rc || (recovery->strict && !proven)) {
		blocks->missing++;
		return 0;
	}
	translate_all(recovery);
	blocks->saved++;
	samples->saved += recovery->samples.rows.count;
	if (!proven) {
		blocks->unverified++;
		samples->unverified += recovery->samples.rows.count;
	}
	return visit(context, recovery->samples.rows.items, recovery->samples.rows.count);
}

static bool is_listed(const struct recovery *recovery, uint64_t id)
{
	const struct salvage_block *items = recovery->salvage.blocks.items;
	size_t count = recovery->salvage.blocks.count;
	size_t before = search_before(items, count, item, item->id < id);

	return before < count && items[before].id == id;
}

/* Counts the blocks that have a checksum but were not found. */
static int count_missing(struct recovery *recovery)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	uint64_t id, samples;
	int rc = sql_prepare(recovery->salvage.db,
			     "SELECT part, rows FROM checksum WHERE name = 'block'", &stmt);

	while (!rc && (rc = sql_step(stmt)) > 0) {
		rc = 0;
		if (!sql_column_at_most(stmt, 0, INT64_MAX, &id) || !id ||
		    !sql_column_at_most(stmt, 1, PACKED_MAX_SAMPLES, &samples) ||
		    is_listed(recovery, id))
			continue;
		recovery->counts[COUNT_BLOCKS].missing++;
		recovery->written += samples;
	}
	return rc;
}

/* ---- what is missing ---- */

/* Samples of layer 1 according to table layer; 0: not there. */
static uint64_t claimed_by_layer(struct recovery *recovery)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	uint64_t samples = 0;

	if (sql_prepare(recovery->salvage.db, "SELECT samples FROM layer WHERE id = 1", &stmt) ||
	    sql_step(stmt) <= 0 || !sql_column_at_most(stmt, 0, INT64_MAX, &samples))
		return 0;
	return samples;
}

static uint64_t claimed_by_events(const struct recovery *recovery)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < PROFILE_MAX_EVENTS; i++)
		samples += recovery->events[i].samples;
	return samples;
}

/* How many samples the file had, at least. Checksums and blocks are certain. Table layer and the
 * events may claim more; the lower claim counts. */
static uint64_t samples_written(struct recovery *recovery)
{
	uint64_t layer = claimed_by_layer(recovery), events = claimed_by_events(recovery);
	uint64_t claim = layer && (!events || layer < events) ? layer : events;

	return claim > recovery->written ? claim : recovery->written;
}

/* Counts what the event lacks as damaged, but no more than is missing in all. */
static void note_event(struct recovery *recovery, size_t number, uint64_t *missing)
{
	const struct event *was = &recovery->events[number];
	struct event *is = &recovery->profile->events[number];
	uint64_t lacks = was->samples > is->samples ? was->samples - is->samples : 0;
	struct loss *loss = &is->loss[LOSS_DAMAGED];

	if (lacks > *missing)
		lacks = *missing;
	else if (lacks && was->weight > is->weight)
		loss->weight += was->weight - is->weight;
	loss->count += lacks;
	*missing -= lacks;
}

static void note_losses(struct recovery *recovery)
{
	struct recover_count *samples = &recovery->counts[COUNT_SAMPLES];
	uint64_t missing = samples_written(recovery) - samples->saved;

	samples->missing = missing;
	for (size_t i = 0; i < recovery->profile->event_count; i++)
		note_event(recovery, i, &missing);
	if (missing && recover_rows_event(&recovery->rows, 0))
		recovery->profile->events[0].loss[LOSS_DAMAGED].count += missing;
}

static void add_count(struct buf *text, const struct recover_count *count, bool table)
{
	int letters = (int)strlen(count->name) - (count->missing == 1);

	if (table)
		buf_printf(text, "%" PRIu64 " row%s of table %s", count->missing,
			   count->missing == 1 ? "" : "s", count->name);
	else
		buf_printf(text, "%" PRIu64 " %.*s", count->missing, letters, count->name);
}

/* Adds one sentence for readers of the profile. */
static void note_sentence(struct recovery *recovery)
{
	static const char lost[] =
		"lost in damaged parts of the file that this profile was recovered from: ";
	_cleanup_(buf_done) struct buf text = { 0 };

	for (size_t i = 0; i < recovery->count; i++) {
		const struct recover_count *count = &recovery->counts[i];

		if (!count->missing)
			continue;
		buf_add_str(&text, text.size ? ", " : lost);
		add_count(&text, count, i >= COUNT_TABLES);
	}
	if (text.size)
		profile_not_visible(recovery->profile, buf_text(&text));
}

int recovery_each_batch(struct recovery *recovery,
			int (*visit)(void *context, const struct sample *samples, size_t count),
			void *context, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < recovery->salvage.blocks.count; i++)
		rc = take_block(recovery, &recovery->salvage.blocks.items[i], visit, context);
	if (rc)
		return rc;
	rc = count_missing(recovery);
	if (rc)
		return err_set(err, rc, "cannot recover: %s", strerror(-rc));
	note_losses(recovery);
	note_sentence(recovery);
	return 0;
}

struct recover_state recovery_state(const struct recovery *recovery)
{
	return (struct recover_state){ .counts = recovery->counts,
				       .count = recovery->count,
				       .verified = recovery->verified,
				       .journal_used = recovery->salvage.pages.journal_used,
				       .journal_bad = recovery->salvage.pages.journal_bad,
				       .words = recovery->assumed,
				       .circles = recovery->rows.circles };
}
