/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect symbolize: names addresses. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_add.h"
#include "base/scan.h"
#include "cmd/commands.h"
#include "cmd/options/profile_options.h"
#include "cmd/options/terminal.h"
#include "present/safe.h"
#include "views/views.h"

struct symbolize_values {
	struct symbolize_options options;
	const char *format;
	struct line_values lines;
};

/* clang-format off */
#define AT(field) offsetof(struct symbolize_values, field)

static const struct option_spec symbolize_specs[] = {
	{ "exe", 'e', OPTION_TEXT, AT(options.file), "FILE",
	  .help = "the addresses are of this executable or shared object, as in objdump" },
	{ "pid", 'p', OPTION_INTEGER, AT(options.pid), "PID",
	  .help = "the addresses are of a running process",
	  .least = 1, .most = INT32_MAX },
	{ "kernel", 0, OPTION_FLAG, AT(options.kernel), NULL,
	  .help = "the addresses are of the running kernel" },
	{ "return", 'r', OPTION_FLAG, AT(options.returns), NULL,
	  .help = "the addresses are return addresses: show the call before each" },
	{ "format", 0, OPTION_TEXT, AT(format), "FORMAT", .help = "text or json", .words = "text json" },
	{ "demangle", 0, OPTION_TEXT, AT(options.demangle), "STYLE",
	  .help = "how names are written: none, normal (default), smart (short C++ templates)",
	  .words = "none normal smart" },
	LINE_OPTION_ROWS(AT(lines)),
	{ 0 },
};
/* clang-format on */

enum { MOST_PROBLEMS = 3 }; /* printed at most */

struct answering {
	struct symbolizer *symbolizer;
	bool json;
	bool failed; /* an address could not be resolved */
	bool any;    /* answered so far */
	struct buf line;
};

static void add_place(struct answering *answering, const char *name, const struct line_place *place)
{
	struct buf *line = &answering->line;

	buf_add_str(line, "  ");
	safe_text(line, name);
	if (place && *place->file) {
		buf_add_str(line, " at ");
		safe_text(line, place->file);
		if (place->line)
			buf_printf(line, ":%" PRIu32, place->line);
	}
}

static void add_text(struct answering *answering, uint64_t address, const struct symbolized *answer)
{
	struct buf *line = &answering->line;
	struct buf symbol = { 0 };

	buf_printf(line, "0x%" PRIx64 " in ", address);
	safe_text(line, answer->image);
	buf_add_char(line, '\n');
	for (size_t i = 0; i + 1 < answer->place_count; i++) {
		add_place(answering,
			  symbolizer_name(answering->symbolizer, answer->places[i].function),
			  &answer->places[i]);
		buf_add_str(line, " (inlined)\n");
	}
	buf_add_str(&symbol, answer->symbol);
	if (answer->has_offset)
		buf_printf(&symbol, "+0x%" PRIx64, answer->offset);
	add_place(answering, buf_text(&symbol),
		  answer->place_count ? &answer->places[answer->place_count - 1] : NULL);
	buf_add_char(line, '\n');
	buf_done(&symbol);
}

static void add_json_place(struct answering *answering, const char *name,
			   const struct line_place *place)
{
	struct buf *line = &answering->line;

	json_add_begin(line, NULL, '{');
	json_add_text(line, "function", name);
	json_add_text_or_null(line, "file", place->file);
	json_add_number_or_null(line, "line", place->line);
	json_add_end(line, '}');
}

static void add_json(struct answering *answering, uint64_t address, const struct symbolized *answer)
{
	struct buf *line = &answering->line;

	buf_printf(line, "%s{\"address\":\"0x%" PRIx64 "\"", answering->any ? ",\n" : "", address);
	json_add_text(line, "image", answer->image);
	json_add_text(line, "symbol", answer->symbol);
	if (answer->has_offset)
		json_add_number(line, "offset", answer->offset);
	else
		json_add_null(line, "offset");
	json_add_begin(line, "frames", '[');
	for (size_t i = 0; i < answer->place_count; i++) {
		const struct line_place *place = &answer->places[i];
		bool is_last = i + 1 == answer->place_count;

		add_json_place(answering,
			       symbolizer_name(answering->symbolizer,
					       is_last ? answer->function : place->function),
			       place);
	}
	buf_add_str(line, "]}");
}

/* Answers one word. Reports a word that is not an address or has no code, and goes on. */
static void answer(struct answering *answering, const char *word)
{
	struct symbolized answer = { .place_count = 0 };
	struct err err;
	uint64_t address;
	int rc = 0;

	if (!scan_whole_number(word, 16, &address))
		rc = err_set(&err, -EINVAL,
			     "invalid address '%s': expected hexadecimal digits such as 4011a6 or "
			     "0x4011a6",
			     word);
	if (rc == 0)
		rc = symbolizer_ask(answering->symbolizer, address, &answer, &err);
	if (rc < 0) {
		answering->failed = true;
		options_fail(&command_symbolize, &err, 1);
		return;
	}
	buf_clear(&answering->line);
	if (answering->json)
		add_json(answering, address, &answer);
	else
		add_text(answering, address, &answer);
	answering->any = true;
	fputs(buf_text(&answering->line), stdout);
}

/* Answers each line of standard input at once: its writer may wait for the answer. */
static void answer_input(struct answering *answering)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) >= 0) {
		char *rest = line;
		const char *word;

		while ((word = strsep(&rest, " \t\r\n"))) {
			if (*word)
				answer(answering, word);
		}
		fflush(stdout);
	}
	free(line);
}

static void tell_problems(const struct answering *answering)
{
	uint32_t index = 0;
	const char *problem;

	for (int i = 0; i < MOST_PROBLEMS; i++) {
		problem = symbolizer_problem(answering->symbolizer, &index);
		if (!problem)
			return;
		terminal_say("prospect symbolize: %s", problem);
	}
}

static int symbolize(const struct symbolize_values *values, int count, char **words)
{
	struct answering answering = { .json = values->format &&
					       strcmp(values->format, "json") == 0 };
	struct err err;
	int rc = symbolizer_new(&values->options, &answering.symbolizer, &err);

	if (rc < 0)
		return options_fail(&command_symbolize, &err, rc == -EINVAL ? 2 : 1);
	fputs(answering.json ? "[" : "", stdout);
	for (int i = 0; i < count; i++)
		answer(&answering, words[i]);
	if (count == 0)
		answer_input(&answering);
	fputs(answering.json ? "]\n" : "", stdout);
	fflush(stdout);
	tell_problems(&answering);
	symbolizer_free(answering.symbolizer);
	buf_done(&answering.line);
	return answering.failed ? 1 : 0;
}

static int run_symbolize(int argc, char **argv)
{
	struct symbolize_values values = { 0 };
	struct err err;
	int status, first = options_begin(&command_symbolize, argc, argv, &values, &status);

	if (first < 0)
		return status;
	if (values.format && strcmp(values.format, "json") != 0 &&
	    strcmp(values.format, "text") != 0) {
		err_set(&err, -EINVAL, "invalid --format '%s': expected text or json",
			values.format);
		return options_fail(&command_symbolize, &err, 2);
	}
	values.options.lines = profile_options_lines(&values.lines);
	return symbolize(&values, argc - first, argv + first);
}

const struct command command_symbolize = {
	.name = "symbolize",
	.summary = "show function, source line and inlined functions at an address",
	.usage = "(-e FILE | -p PID | --kernel) [OPTION...] [ADDRESS...]",
	.options = symbolize_specs,
	.reads_profiles = true,
	.run = run_symbolize,
};
