/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect graph: callers and callees as a tree. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/output_file.h"
#include "cmd/options/command.h"
#include "cmd/options/name_options.h"
#include "cmd/options/options.h"
#include "cmd/options/select_options.h"
#include "cmd/options/terminal.h"
#include "load/opened.h"
#include "store/state_files.h"
#include "views/graph.h"
#include "views/report.h"

struct graph_values {
	const char *by;
	struct select_values select;
	struct name_values names;
	bool inverted, flat, calls, dot;
	const char *counts;
	int64_t limit, max_depth;
	double threshold;
	const char *format;
	const char *output;
};

/* clang-format off */
static const struct option_spec graph_specs[] = {
	{ "inverted", 'i', OPTION_FLAG, offsetof(struct graph_values, inverted), NULL,
	  .help = "begin with the sampled functions, callers below them" },
	{ "flat", 0, OPTION_FLAG, offsetof(struct graph_values, flat), NULL,
	  .help = "print a table of functions instead, the largest own share first" },
	{ "calls", 0, OPTION_FLAG, offsetof(struct graph_values, calls), NULL,
	  .help = "print a flat profile instead, then each function with its callers and callees" },
	{ "counts", 0, OPTION_TEXT, offsetof(struct graph_values, counts), "FILE",
	  .help = "with --calls: numbers of calls, from 'prospect watch --format csv'" },
	{ "dot", 0, OPTION_FLAG, offsetof(struct graph_values, dot), NULL,
	  .help = "write a picture instead, in the language of Graphviz" },
	{ "by", 0, OPTION_TEXT, offsetof(struct graph_values, by), "KEYS",
	  .help = "what a node is (default function); keys before it have a tree for each value" },
	SELECT_OPTION_ROWS(offsetof(struct graph_values, select)),
	SLICE_OPTION_ROW(offsetof(struct graph_values, select)),
	NAME_OPTION_ROWS(offsetof(struct graph_values, names)),
	{ "threshold", 0, OPTION_NUMBER, offsetof(struct graph_values, threshold), "PCT",
	  .help = "omit branches with a smaller share (default 0.5 in text and --dot, else 0)",
	  .least = 0, .most = 100 },
	{ "limit", 0, OPTION_INTEGER, offsetof(struct graph_values, limit), "N",
	  .help = "show at most N nodes, the largest (default: all)", .least = 1, .most = 1e9 },
	{ "max-depth", 0, OPTION_INTEGER, offsetof(struct graph_values, max_depth), "N",
	  .help = "show at most N levels (default: all)", .least = 1, .most = 1e9 },
	{ "format", 0, OPTION_TEXT, offsetof(struct graph_values, format), "FORMAT",
	  .help = "text, csv or json" },
	{ "file", 'f', OPTION_TEXT, offsetof(struct graph_values, output), "FILE",
	  .help = "write the graph to FILE" },
	{ "output", 'o', OPTION_TEXT, offsetof(struct graph_values, output), "FILE",
	  .help = "the same as -f" },
	{ 0 },
};
/* clang-format on */

static struct graph_options options_of(const struct graph_values *values, const char *symbol)
{
	return (struct graph_options){
		.by = values->by,
		.selection = select_options_of(&values->select),
		.names = name_options_of(&values->names),
		.symbol = symbol,
		.inverted = values->inverted,
		.flat = values->flat,
		.calls = values->calls,
		.dot = values->dot,
		.counts = values->counts,
		.limit = (size_t)values->limit,
		.threshold = values->threshold,
		.max_depth = (size_t)values->max_depth,
		.format = values->format,
	};
}

/* A single word is a profile if a profile has that name or the word looks like a path: no symbol
 * begins like one. */
static bool names_profile(const char *word)
{
	size_t length = strlen(word);

	return opened_is_profile(word) || word[0] == '/' || strncmp(word, "./", 2) == 0 ||
	       strncmp(word, "../", 3) == 0 ||
	       (length > 5 && strcmp(word + length - 5, ".prof") == 0);
}

/* Sorts words into SYMBOL, FILE, or both in this order. */
static int sort_words(int count, char **words, const char **ret_symbol, const char **ret_file,
		      struct err *err)
{
	if (count > 2)
		return err_set(err, -EINVAL,
			       "unexpected argument '%s': expected at most a SYMBOL and a FILE",
			       words[2]);
	*ret_symbol = *ret_file = NULL;
	if (count == 2) {
		*ret_symbol = words[0];
		*ret_file = words[1];
	} else if (count == 1 && names_profile(words[0])) {
		*ret_file = words[0];
	} else if (count == 1) {
		*ret_symbol = words[0];
	}
	return 0;
}

static int print(const struct graph_values *values, struct graph_options *options, const char *path,
		 struct err *err)
{
	_cleanup_(output_file_freep) struct output_file *output = NULL;
	struct terminal terminal;
	int rc;

	if (!values->output) {
		terminal_ask(stdout, &terminal);
		options->columns = terminal.columns;
		options->colour = terminal.colour;
		return graph_print(path, options, stdout, err);
	}
	rc = output_file_open(values->output, &output, err);
	if (rc == 0)
		rc = graph_print(path, options, output_file_stream(output), err);
	return rc < 0 ? rc : output_file_commit(output, err);
}

static int show(const struct graph_values *values, const char *symbol, const char *file)
{
	struct graph_options options = options_of(values, symbol);
	char last[STATE_PATH_MAX];
	struct err err;

	if (graph_check(&options, &err) < 0)
		return options_fail(&command_graph, &err, 2);
	if (!file && state_last_profile(last, sizeof(last), &err) < 0)
		return options_fail(&command_graph, &err, 1);
	if (print(values, &options, file ? file : last, &err) < 0)
		return options_fail(&command_graph, &err, 1);
	return 0;
}

static int run_graph(int argc, char **argv)
{
	struct graph_values values = { .threshold = -1 };
	const char *symbol = NULL, *file = NULL;
	bool help = false;
	struct err err;
	int first = options_parse(graph_specs, argc, argv, false, &values, &help, &err);

	if (help) {
		options_print_help(&command_graph);
		printf("\nKeys of --by and --select:\n");
		report_print_keys(stdout);
		return 0;
	}
	if (first < 0 || sort_words(argc - first, argv + first, &symbol, &file, &err) < 0)
		return options_fail(&command_graph, &err, 2);
	return show(&values, symbol, file);
}

const struct command command_graph = {
	.name = "graph",
	.summary = "show the call tree, or the callers and callees of one function",
	.usage = "[OPTION...] [SYMBOL] [FILE]",
	.options = graph_specs,
	.reads_profiles = true,
	.run = run_graph,
};
