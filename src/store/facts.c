/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/facts.h"

#include <errno.h>
#include <string.h>

#include "store/checksums.h"
#include "store/sql.h"

enum fact_type {
	FACT_IS_TEXT,
	FACT_IS_NUMBER,
};

struct fact {
	const char *name;
	enum fact_type type;
	size_t offset; /* in struct run_facts: of a char * or a uint64_t */
};

static const struct fact facts[] = {
#define FACT_ROW(type, name, merge) { #name, FACT_IS_##type, offsetof(struct run_facts, name) },
	RUN_FACTS(FACT_ROW)
#undef FACT_ROW
};

enum { FACT_COUNT = sizeof(facts) / sizeof(facts[0]) };

static void bind_fact(sqlite3_stmt *stmt, const struct fact *fact, const struct run_facts *run)
{
	const char *field = (const char *)run + fact->offset;
	const char *text;
	uint64_t number;

	sql_bind_text(stmt, 1, fact->name);
	if (fact->type == FACT_IS_TEXT) {
		memcpy(&text, field, sizeof(text));
		sql_bind_text(stmt, 2, text);
	} else {
		memcpy(&number, field, sizeof(number));
		sql_bind_u64(stmt, 2, number);
	}
}

static int write_header(sqlite3 *db, const struct run_facts *run)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc =
		sql_prepare(db, "INSERT OR REPLACE INTO header(name, value) VALUES(?1, ?2)", &stmt);

	for (size_t i = 0; !rc && i < FACT_COUNT; i++) {
		bind_fact(stmt, &facts[i], run);
		rc = sql_run(stmt);
	}
	return rc;
}

static int write_losses(sqlite3 *db, const struct profile *profile)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db, "INSERT OR REPLACE INTO loss VALUES(?1, ?2, ?3, ?4)", &stmt);

	for (size_t i = 0; !rc && i < profile->event_count * LOSS_COUNT; i++) {
		enum loss_reason reason = (enum loss_reason)(i % LOSS_COUNT);
		const struct loss *loss = &profile->events[i / LOSS_COUNT].loss[reason];

		if (!loss->count && !loss->weight)
			continue;
		sql_bind_u64(stmt, 1, i / LOSS_COUNT);
		sql_bind_text(stmt, 2, loss_name(reason));
		sql_bind_u64(stmt, 3, loss->count);
		sql_bind_u64(stmt, 4, loss->weight);
		rc = sql_run(stmt);
	}
	return rc;
}

int facts_write(sqlite3 *db, const struct profile *profile)
{
	int rc = write_header(db, &profile->run);

	if (!rc)
		rc = checksums_write_keys(db, "header");
	if (!rc)
		rc = write_losses(db, profile);
	return rc ? rc : checksums_write_keys(db, "loss");
}

static const struct fact *fact_by_name(const char *name)
{
	for (size_t i = 0; i < FACT_COUNT; i++) {
		if (strcmp(facts[i].name, name) == 0)
			return &facts[i];
	}
	return NULL;
}

static bool read_value(sqlite3_stmt *stmt, const struct fact *fact, struct run_facts *run)
{
	char *field = (char *)run + fact->offset;
	const char *text;
	uint64_t number;

	if (fact->type == FACT_IS_TEXT) {
		if (!sql_column_text(stmt, 1, &text))
			return false;
		profile_set_text((char **)(void *)field, text);
		return true;
	}
	if (!sql_column_u64(stmt, 1, &number))
		return false;
	memcpy(field, &number, sizeof(number));
	return true;
}

static int read_fact(sqlite3_stmt *stmt, struct run_facts *run, struct err *err)
{
	const struct fact *fact;
	const char *name;

	if (!sql_column_text(stmt, 0, &name))
		return err_set(err, -EBADMSG, "invalid row in table header");
	fact = fact_by_name(name);
	if (fact && !read_value(stmt, fact, run))
		return err_set(err, -EBADMSG, "invalid value of %s in table header", fact->name);
	return 0;
}

int facts_read_run(sqlite3 *db, struct profile *profile, struct err *err)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db, "SELECT name, value FROM header", &stmt);

	while (!rc && (rc = sql_step(stmt)) > 0)
		rc = read_fact(stmt, &profile->run, err);
	return rc;
}

static int read_loss(sqlite3_stmt *stmt, struct profile *profile, struct err *err)
{
	enum loss_reason reason;
	const char *name;
	uint64_t event;
	struct loss loss;

	if (!sql_column_u64(stmt, 0, &event) || event >= profile->event_count ||
	    !sql_column_text(stmt, 1, &name) || !sql_column_u64(stmt, 2, &loss.count) ||
	    !sql_column_u64(stmt, 3, &loss.weight))
		return err_set(err, -EBADMSG, "invalid row in table loss");
	reason = loss_by_name(name);
	if (reason == LOSS_COUNT)
		return err_set(err, -EBADMSG, "unknown loss reason '%.40s'", name);
	profile->events[event].loss[reason] = loss;
	return 0;
}

static int read_losses(sqlite3 *db, struct profile *profile, struct err *err)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db, "SELECT event, reason, count, weight FROM loss", &stmt);

	while (!rc && (rc = sql_step(stmt)) > 0)
		rc = read_loss(stmt, profile, err);
	return rc;
}

int facts_read(sqlite3 *db, struct profile *profile, struct err *err)
{
	int rc = facts_read_run(db, profile, err);

	return rc ? rc : read_losses(db, profile, err);
}

/* Skips wrong rows and counts them. */
static int read_sound(sqlite3 *db, const char *text, struct profile *profile,
		      int (*read)(sqlite3_stmt *stmt, struct profile *profile, struct err *err),
		      uint64_t *wrong)
{
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc = sql_prepare(db, text, &stmt);
	struct err err;

	while (!rc && (rc = sql_step(stmt)) > 0) {
		*wrong += read(stmt, profile, &err) < 0;
		rc = 0;
	}
	return rc;
}

static int read_one_fact(sqlite3_stmt *stmt, struct profile *profile, struct err *err)
{
	return read_fact(stmt, &profile->run, err);
}

int facts_read_sound(sqlite3 *db, struct profile *profile, uint64_t *ret_facts,
		     uint64_t *ret_losses)
{
	int rc;

	*ret_facts = *ret_losses = 0;
	rc = read_sound(db, "SELECT name, value FROM header", profile, read_one_fact, ret_facts);
	return rc ? rc
		  : read_sound(db, "SELECT event, reason, count, weight FROM loss", profile,
			       read_loss, ret_losses);
}
