/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "store/fixture.h"

/* Adds a function and gives it to a frame; notes that in the facts. */
static uint32_t add_function(struct profile *profile, uint32_t frame)
{
	struct symbol symbol = { .image = profile->frames.items[frame].image,
				 .name = fixture_text(profile, "later"),
				 .start = 0x1234,
				 .size = 9,
				 .kind = SYMBOL_NAMED };

	profile->frames.items[frame].symbol = profile_symbol(profile, &symbol);
	profile->frames.items[frame].dirty = true;
	profile_set_text(&profile->run.names_added, "a line");
	return profile->frames.items[frame].symbol;
}

/* The copy with one function more is written to COPY. */
static int write_copy(const char *path, const char *copy, struct err *err)
{
	struct store_reader *reader = fixture_open(path);
	struct profile *profile = fixture_load(reader);
	FILE *out = fopen(copy, "we");
	int rc;

	assert_non_null(out);
	add_function(profile, 5);
	rc = store_write_copy(reader, profile, out, err);
	fclose(out);
	store_close(reader);
	profile_free(profile);
	return rc;
}

/* What two files have in a table, compared by SQLite alone. */
static void assert_same_table(const char *path, const char *copy, const char *table)
{
	char sql[512];

	snprintf(sql, sizeof(sql),
		 "ATTACH '%s' AS other; CREATE TEMP TABLE bad AS SELECT * FROM (SELECT * FROM "
		 "main.%s EXCEPT SELECT * FROM other.%s) UNION ALL SELECT * FROM (SELECT * FROM "
		 "other.%s EXCEPT SELECT * FROM main.%s); CREATE TEMP TABLE none(n CHECK(n = 0));"
		 "INSERT INTO none SELECT count(*) FROM bad",
		 copy, table, table, table, table);
	fixture_sql(path, sql);
}

static void only_names_differ(void **state)
{
	static const char *const same[] = { "block",   "total", "second", "stack",
					    "process", "task",	"image",  "event",
					    "loss",    "layer", "code",	  "line",
					    "mark",    "word",	"branch", "cpu_time" };
	const struct folder *folder = *state;
	char copy[128];
	struct store_reader *reader;
	struct profile *profile;
	struct err err;

	snprintf(copy, sizeof(copy), "%s/copy", folder->name);
	fixture_write(folder->path, 1000);
	assert_int_equal(write_copy(folder->path, copy, &err), 0);
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		assert_same_table(folder->path, copy, same[i]);
	assert_int_equal(fixture_sql_number(copy, "SELECT count(*) FROM symbol") -
				 fixture_sql_number(folder->path, "SELECT count(*) FROM symbol"),
			 1);
	assert_int_equal(fixture_sql_number(copy, "SELECT count(*) FROM frame f JOIN symbol s ON "
						  "s.id = f.symbol WHERE s.name = 'later'"),
			 1);
	assert_int_equal(fixture_sql_number(folder->path,
					    "SELECT count(*) FROM symbol WHERE name = 'later'"),
			 0);
	assert_int_equal(fixture_layers_agree(copy), 1000);
	/* with the right checksums: the reader compares them */
	reader = fixture_open(copy);
	profile = fixture_load(reader);
	assert_string_equal(profile->run.names_added, "a line");
	assert_string_equal(
		profile_text(profile, profile->symbols.items[profile->frames.items[5].symbol].name),
		"later");
	profile_free(profile);
	store_close(reader);
}

/* Nothing that a file brings along runs while rows are added to the copy. */
static void triggers_do_not_run(void **state)
{
	const struct folder *folder = *state;
	char copy[128];
	struct err err;

	snprintf(copy, sizeof(copy), "%s/copy", folder->name);
	fixture_write(folder->path, 250);
	fixture_sql(folder->path,
		    "CREATE TABLE trap(n);"
		    "CREATE TRIGGER t AFTER INSERT ON symbol BEGIN INSERT INTO trap VALUES(1); END;"
		    "CREATE TRIGGER u AFTER INSERT ON frame BEGIN DELETE FROM total; END;"
		    "CREATE TRIGGER v AFTER INSERT ON header BEGIN DELETE FROM block; END");
	assert_int_equal(write_copy(folder->path, copy, &err), 0);
	assert_int_equal(fixture_sql_number(copy, "SELECT count(*) FROM trap"), 0);
	assert_int_equal(fixture_layers_agree(copy), 250);
	assert_int_equal(fixture_sql_number(copy, "SELECT count(*) FROM symbol WHERE name = "
						  "'later'"),
			 1);
}

/* Files whose numbers mean something else, or that have no checksums, are left alone. */
static void other_versions_are_refused(void **state)
{
	static const char *const changes[] = {
		"UPDATE word SET id = id + 10 WHERE list = 'symbol_kind';"
		"UPDATE symbol SET kind = kind + 10;"
		"DELETE FROM checksum WHERE name IN ('word', 'symbol')",
		"DROP TABLE checksum",
	};
	const struct folder *folder = *state;
	char copy[128];
	struct err err;

	snprintf(copy, sizeof(copy), "%s/copy", folder->name);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		unlink(folder->path);
		fixture_write(folder->path, 250);
		fixture_sql(folder->path, changes[i]);
		assert_int_equal(write_copy(folder->path, copy, &err), -ENOTSUP);
		assert_non_null(strstr(err.text, "prospect recover"));
		assert_non_null(strstr(err.text, folder->path));
	}
}

static void a_full_disk_is_reported(void **state)
{
	const struct folder *folder = *state;
	struct err err;

	if (access("/dev/full", W_OK) < 0) {
		print_message("no /dev/full\n");
		skip();
	}
	fixture_write(folder->path, 250);
	assert_int_equal(write_copy(folder->path, "/dev/full", &err), -ENOSPC);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		CASE(only_names_differ),
		CASE(triggers_do_not_run),
		CASE(other_versions_are_refused),
		CASE(a_full_disk_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
