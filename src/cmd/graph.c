/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect graph: callers and callees as a tree. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/output_file.h"
#include "cmd/commands.h"
#include "cmd/options/profile_options.h"
#include "cmd/options/report_options.h"
#include "cmd/options/screen_options.h"
#include "load/opened.h"
#include "store/state_files.h"
#include "views/views.h"

struct graph_values {
	struct graph_options options;
	struct select_values select;
	struct name_values names;
	struct screen_values screen;
	const char *output;
};

/* clang-format off */
#define AT(field) offsetof(struct graph_values, field)

static const struct option_spec graph_specs[] = {
	{ "inverted", 'i', OPTION_FLAG, AT(options.inverted), NULL,
	  .help = "begin with the sampled functions, callers below them" },
	{ "flat", 0, OPTION_FLAG, AT(options.flat), NULL,
	  .help = "print a table of functions instead, the largest own share first" },
	{ "calls", 0, OPTION_FLAG, AT(options.calls), NULL,
	  .help = "print a flat profile instead, then each function with its callers and callees" },
	{ "counts", 0, OPTION_TEXT, AT(options.counts), "FILE",
	  .help = "with --calls: numbers of calls, from 'prospect watch --format csv'" },
	{ "dot", 0, OPTION_FLAG, AT(options.dot), NULL,
	  .help = "write a picture instead, in the language of Graphviz" },
	{ "by", 0, OPTION_TEXT, AT(options.by), "KEYS",
	  .help = "what a node is (default function); keys before it have a tree for each value" },
	SELECT_OPTION_ROWS(AT(select)),
	SCOPE_OPTION_ROWS(AT(select), 0),
	SLICE_OPTION_ROW(AT(select)),
	NAME_OPTION_ROWS(AT(names)),
	SCREEN_OPTION_ROWS(AT(screen)),
	{ "threshold", 0, OPTION_NUMBER, AT(options.threshold), "PCT",
	  .help = "omit branches with a smaller share (default 0.5 in text and --dot, else 0)",
	  .least = 0, .most = 100 },
	{ "limit", 0, OPTION_INTEGER, AT(options.limit), "N",
	  .help = "show at most N nodes, the largest (default: all)", .least = 1, .most = 1e9 },
	{ "max-depth", 0, OPTION_INTEGER, AT(options.max_depth), "N",
	  .help = "show at most N levels (default: all)", .least = 1, .most = 1e9 },
	{ "format", 0, OPTION_TEXT, AT(options.format), "FORMAT",
	  .help = "text, csv or json", .words = "text csv json" },
	{ "file", 'f', OPTION_TEXT, AT(output), "FILE",
	  .help = "write the graph to FILE" },
	{ "output", 'o', OPTION_TEXT, AT(output), "FILE",
	  .help = "the same as -f" },
	{ 0 },
};
/* clang-format on */

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

static int print(struct graph_values *values, const char *path, struct err *err)
{
	_cleanup_(output_file_freep) struct output_file *output = NULL;
	struct graph_options *options = &values->options;
	_cleanup_(pager_freep) struct pager *pager = NULL;
	int rc;

	options->screen = screen_options_screen(&values->screen, values->output ? NULL : stdout);
	if (!values->output) {
		pager = screen_options_pager(&values->screen);
		return graph_print(path, options, pager_stream(pager), err);
	}
	rc = output_file_open(values->output, &output, err);
	if (rc == 0)
		rc = graph_print(path, options, output_file_stream(output), err);
	return rc < 0 ? rc : output_file_commit(output, err);
}

static int show(struct graph_values *values, const char *file)
{
	char last[STATE_PATH_MAX];
	struct err err;
	int rc;

	values->options.selection = profile_options_selection(&values->select);
	values->options.names = profile_options_names(&values->names);
	if (graph_check(&values->options, &err) < 0 ||
	    screen_options_check(&values->screen, &err) < 0)
		return options_fail(&command_graph, &err, 2);
	if (!file && profile_options_default(&values->select, last, sizeof(last), &err) < 0)
		return options_fail(&command_graph, &err, 1);
	rc = print(values, file ? file : last, &err);
	return rc < 0 ? options_fail(&command_graph, &err, profile_options_status(rc)) : 0;
}

static int run_graph(int argc, char **argv)
{
	struct graph_values values = { .options.threshold = -1 };
	const char *file = NULL;
	struct err err;
	int status, first = options_begin(&command_graph, argc, argv, &values, &status);

	if (first < 0)
		return status;
	if (sort_words(argc - first, argv + first, &values.options.symbol, &file, &err) < 0)
		return options_fail(&command_graph, &err, 2);
	return show(&values, file);
}

const struct command command_graph = {
	.name = "graph",
	.summary = "show the call tree, or the callers and callees of one function",
	.usage = "[OPTION...] [SYMBOL] [FILE]",
	.options = graph_specs,
	.more_help = report_options_print_keys,
	.reads_profiles = true,
	.run = run_graph,
};
