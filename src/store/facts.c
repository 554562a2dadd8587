/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/facts.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
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

static bool read_value(const struct datum *value, const struct fact *fact, struct run_facts *run)
{
	char *field = (char *)run + fact->offset;
	const char *text;
	uint64_t number;
	size_t length;

	if (fact->type == FACT_IS_TEXT) {
		_cleanup_free_ char *copy = NULL;

		if (!datum_text(value, &text, &length))
			return false;
		copy = xstrndup(text, length);
		profile_set_text((char **)(void *)field, copy);
		return true;
	}
	if (!datum_u64(value, &number))
		return false;
	memcpy(field, &number, sizeof(number));
	return true;
}

/* A profile that facts are read into. */
struct facts_reading {
	struct profile *profile;
	const struct written *written; /* NULL: is not compared */
	uint64_t wrong;		       /* rows that were skipped */
};

static int compare(const struct facts_reading *reading, const char *table,
		   const struct datum *values, struct err *err)
{
	if (!reading->written || written_has_row(reading->written, table, values))
		return 0;
	return err_set(err, -EBADMSG, "checksum mismatch in table %s", table);
}

static int read_fact(void *context, const struct datum *values, struct err *err)
{
	const struct facts_reading *reading = context;
	const struct fact *fact;
	char name[DATUM_NAME_BYTES];

	if (!datum_name(&values[0], name))
		return err_set(err, -EBADMSG, "invalid row in table header");
	fact = fact_by_name(name);
	if (fact && !read_value(&values[1], fact, &reading->profile->run))
		return err_set(err, -EBADMSG, "invalid value of %s in table header", fact->name);
	return compare(reading, "header", values, err);
}

static int read_loss(void *context, const struct datum *values, struct err *err)
{
	const struct facts_reading *reading = context;
	struct profile *profile = reading->profile;
	char name[DATUM_NAME_BYTES];
	enum loss_reason reason;
	uint64_t event;
	struct loss loss;

	if (!datum_u64(&values[0], &event) || event >= profile->event_count ||
	    !datum_name(&values[1], name) || !datum_u64(&values[2], &loss.count) ||
	    !datum_u64(&values[3], &loss.weight))
		return err_set(err, -EBADMSG, "invalid row in table loss");
	reason = loss_by_name(name);
	if (reason == LOSS_COUNT)
		return err_set(err, -EBADMSG, "unknown loss reason '%.40s'", name);
	profile->events[event].loss[reason] = loss;
	return compare(reading, "loss", values, err);
}

/* Rows of the tables replace what was read before, so it makes no difference if they come again. */
static int read_all(const struct table_source *source, struct facts_reading *reading, bool losses,
		    struct err *err)
{
	const struct table_visitor facts_visitor = { reading, NULL, read_fact };
	const struct table_visitor loss_visitor = { reading, NULL, read_loss };
	int rc = table_rows_each(source, "header", "name,value", &facts_visitor, err);

	if (!rc && losses)
		rc = table_rows_each(source, "loss", "event,reason,count,weight", &loss_visitor,
				     err);
	return rc;
}

int facts_read_run(const struct table_source *source, struct profile *profile, struct err *err)
{
	struct facts_reading reading = { .profile = profile };

	return read_all(source, &reading, false, err);
}

int facts_read(const struct table_source *source, const struct written *written,
	       struct profile *profile, struct err *err)
{
	struct facts_reading reading = { .profile = profile, .written = written };

	return read_all(source, &reading, true, err);
}

static int read_sound_fact(void *context, const struct datum *values, struct err *err)
{
	struct facts_reading *reading = context;

	reading->wrong += read_fact(context, values, err) < 0;
	return 0;
}

static int read_sound_loss(void *context, const struct datum *values, struct err *err)
{
	struct facts_reading *reading = context;

	reading->wrong += read_loss(context, values, err) < 0;
	return 0;
}

int facts_read_sound(sqlite3 *db, struct profile *profile, uint64_t *ret_facts,
		     uint64_t *ret_losses)
{
	struct facts_reading facts_of = { .profile = profile }, losses_of = facts_of;
	const struct table_visitor facts_visitor = { &facts_of, NULL, read_sound_fact };
	const struct table_visitor loss_visitor = { &losses_of, NULL, read_sound_loss };
	struct err err;
	int rc = table_rows_each_by_sql(db, "header", "name,value", &facts_visitor, &err);

	if (!rc)
		rc = table_rows_each_by_sql(db, "loss", "event,reason,count,weight", &loss_visitor,
					    &err);
	*ret_facts = facts_of.wrong;
	*ret_losses = losses_of.wrong;
	return rc;
}
