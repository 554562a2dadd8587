/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of Qprof (lineage Q04 to Q11): its lines are read by scripts. */
#include "views/views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/keys.h"
#include "aggregate/tables/table.h"
#include "aggregate/trees/children.h"
#include "base/vec.h"
#include "load/opened.h"
#include "load/output.h"
#include "present/safe.h"

enum {
	WIDTH = 80,
	NAME_COLUMNS = 50,
	FIGURES_COLUMNS = 17, /* "  123456 (100%)  " */
	BLUE = 34,	      /* Qprof's colour for a word that it does not know */
};

static const struct {
	const char *word, *keys;
} granularities[QPROF_GRANULARITY_COUNT] = {
	[QPROF_FUNCTION] = { "function", "program,image,symbol" },
	[QPROF_LINE] = { "line", "program,symbol,line" },
	[QPROF_ADDRESS] = { "address", "program,image,symbol,address" },
};

enum qprof_granularity qprof_granularity(const char *word)
{
	for (unsigned i = 0; i < QPROF_GRANULARITY_COUNT; i++) {
		if (strcmp(word, granularities[i].word) == 0)
			return (enum qprof_granularity)i;
	}
	return strcmp(word, "instruction") == 0 ? QPROF_ADDRESS : QPROF_GRANULARITY_COUNT;
}

struct qprof {
	const struct qprof_options *options;
	struct opened opened;
	struct key_list keys;
	struct table *collected; /* by stack, for an inclusive table */
	struct table *table;
	uint8_t event;
	FILE *out;
};

static void take(void *context, const struct point *points, size_t count)
{
	struct qprof *qprof = context;

	table_add_all(qprof->collected, points, count);
}

/* ---- the lines ---- */

static int colour_number(const char *word)
{
	static const struct {
		const char *word;
		int number;
	} colours[] = { { "red", 31 }, { "green", 32 }, { "blue", BLUE } };
	char *end;
	long number = strtol(word, &end, 10);

	for (size_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++) {
		if (strcmp(word, colours[i].word) == 0)
			return colours[i].number;
	}
	return end != word && !*end && number >= 30 && number <= 107 ? (int)number : BLUE;
}

static void add_key(const struct qprof *qprof, const struct table_row *row, size_t key,
		    struct buf *line)
{
	struct buf text = { 0 };
	const char *shown;

	table_text(qprof->table, row, key, &text);
	shown = buf_text(&text);
	if (qprof->keys.items[key] == keys_find("image", 5, NULL) && strrchr(shown, '/'))
		shown = strrchr(shown, '/') + 1;
	safe_text(line, shown);
	buf_done(&text);
}

/* "image(function)", "function:file:line", "image(function):0xADDRESS". */
static void add_place(const struct qprof *qprof, const struct table_row *row, struct buf *line)
{
	add_key(qprof, row, 1, line);
	if (qprof->options->granularity == QPROF_LINE) {
		buf_add_char(line, ':');
		add_key(qprof, row, 2, line);
		return;
	}
	buf_add_char(line, '(');
	add_key(qprof, row, 2, line);
	buf_add_char(line, ')');
	if (qprof->options->granularity == QPROF_ADDRESS) {
		buf_add_char(line, ':');
		add_key(qprof, row, 3, line);
	}
}

/* A part of the columns that are left, as long as the share is large. */
static void add_bar(const struct qprof *qprof, double share, struct buf *line)
{
	const struct screen *screen = &qprof->options->screen;
	size_t columns = screen->columns ? screen->columns : WIDTH;
	size_t room = columns > NAME_COLUMNS + FIGURES_COLUMNS
			      ? columns - NAME_COLUMNS - FIGURES_COLUMNS
			      : 0;
	size_t length = (size_t)(share * (double)room + 0.5);

	if (!length || !qprof->options->colour)
		return;
	buf_add_str(line, "  ");
	if (screen->colour)
		buf_printf(line, "\033[%dm", colour_number(qprof->options->colour));
	for (size_t i = 0; i < length; i++)
		buf_add_char(line, '#');
	if (screen->colour)
		buf_add_str(line, "\033[0m");
}

static void print_row(const struct qprof *qprof, const struct table_row *row, uint64_t all)
{
	double share = all ? (double)row->samples / (double)all : 0;
	struct buf line = { 0 };

	add_place(qprof, row, &line);
	while (line.size < NAME_COLUMNS)
		buf_add_char(&line, ' ');
	buf_printf(&line, " %7" PRIu64 " (%3.0f%%)", row->samples, share * 100);
	add_bar(qprof, share, &line);
	fprintf(qprof->out, "%s\n", buf_text(&line));
	buf_done(&line);
}

/* ---- programs ---- */

struct program {
	uint64_t value;
	uint64_t samples;
	size_t row; /* one of its rows */
};

static uint64_t program_of(const struct qprof *qprof, const struct table_row *row)
{
	return qprof->table->values.items[row->values];
}

/* Samples of the table, by program: an inclusive one counts them more than once. */
static uint64_t own_samples(const struct qprof *qprof, const struct table_row *row)
{
	return qprof->options->inclusive ? row->self.samples : row->samples;
}

static int by_samples(const void *a, const void *b)
{
	const struct program *left = a, *right = b;

	return (left->samples < right->samples) - (left->samples > right->samples);
}

static void print_program(const struct qprof *qprof, const struct program *program)
{
	const struct table *table = qprof->table;
	struct buf name = { 0 };

	add_key(qprof, &table->rows.items[program->row], 0, &name);
	fprintf(qprof->out, "qprof: %s: %" PRIu64 " total samples\n", buf_text(&name),
		program->samples);
	buf_done(&name);
	for (size_t i = 0; i < table->rows.count; i++) {
		const struct table_row *row = &table->rows.items[i];

		if (row->event == qprof->event && program_of(qprof, row) == program->value)
			print_row(qprof, row, program->samples);
	}
}

static void print_programs(const struct qprof *qprof)
{
	const struct table *table = qprof->table;
	VEC(struct program) programs = { 0 };

	for (size_t i = 0; i < table->rows.count; i++) {
		const struct table_row *row = &table->rows.items[i];
		uint64_t value = program_of(qprof, row);
		size_t at = 0;

		if (row->event != qprof->event)
			continue;
		while (at < programs.count && programs.items[at].value != value)
			at++;
		if (at == programs.count)
			*vec_push(&programs) = (struct program){ .value = value, .row = i };
		programs.items[at].samples += own_samples(qprof, row);
	}
	if (programs.count)
		qsort(programs.items, programs.count, sizeof(*programs.items), by_samples);
	for (size_t i = 0; i < programs.count; i++)
		print_program(qprof, &programs.items[i]);
	vec_free(&programs);
}

/* ---- */

static void make_table(struct qprof *qprof)
{
	if (qprof->options->inclusive)
		qprof->table = children_new(qprof->collected, &qprof->keys);
	else
		qprof->table = steal_ptr(qprof->collected);
	table_finish(qprof->table, 0, 0);
	qprof->event = table_main_event(qprof->table);
}

static int load(struct qprof *qprof, const char *path, struct err *err)
{
	const struct qprof_options *options = qprof->options;
	int rc = keys_parse(granularities[options->granularity].keys, &qprof->keys, err);

	if (rc == 0)
		rc = opened_name(&qprof->opened, &options->names, err);
	if (rc == 0)
		rc = opened_choose(&qprof->opened, &(struct selection){ 0 }, SCOPE_COMMAND, err);
	return rc < 0 ? rc : opened_load(&qprof->opened, path, err);
}

int qprof_print(const char *path, const struct qprof_options *options, FILE *out, struct err *err)
{
	struct qprof qprof = { .options = options, .out = out };
	struct key_list keys;
	int rc = load(&qprof, path, err);

	if (rc == 0) {
		keys = options->inclusive ? children_stack_keys(&qprof.keys) : qprof.keys;
		qprof.collected = table_new(&qprof.opened.labels, &keys);
		rc = opened_visit(&qprof.opened, keys_use(&keys), take, &qprof, err);
	}
	if (rc == 0) {
		make_table(&qprof);
		print_programs(&qprof);
		rc = output_end(out, err);
	}
	table_free(qprof.table);
	table_free(qprof.collected);
	opened_done(&qprof.opened);
	return rc;
}
