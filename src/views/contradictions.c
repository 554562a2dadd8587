/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/contradictions.h"

#include <string.h>

static bool has_key(const struct key_list *keys, const struct key *key)
{
	for (size_t i = 0; i < keys->count; i++) {
		if (keys->items[i] == key)
			return true;
	}
	return false;
}

static bool has_name(const struct key_list *keys, const char *name)
{
	return has_key(keys, keys_find(name, strlen(name), NULL));
}

static bool children_and_instructions(const struct given *given)
{
	return given->options->children && given->options->instructions;
}

static bool instructions_without_address(const struct given *given)
{
	const struct report_options *options = given->options;

	return given->grouped && options->instructions && !options->children && !given->column &&
	       !options->details && !has_name(&given->by, "address");
}

static bool syntax_of_nothing(const struct given *given)
{
	return given->options->intel && !given->options->instructions;
}

static bool inlines_and_instructions(const struct given *given)
{
	return given->options->names.inlines && given->options->instructions;
}

static bool children_and_details(const struct given *given)
{
	return given->options->children && given->options->details;
}

static bool details_and_instructions(const struct given *given)
{
	return given->options->details && given->options->instructions;
}

static bool columns_and_instructions(const struct given *given)
{
	return given->column && given->options->instructions;
}

static bool columns_and_details(const struct given *given)
{
	return given->column && given->options->details;
}

static bool hierarchy_and_children(const struct given *given)
{
	return given->options->hierarchy && given->options->children;
}

static bool hierarchy_and_columns(const struct given *given)
{
	return given->options->hierarchy && given->column;
}

static bool hierarchy_and_parts(const struct given *given)
{
	return given->options->hierarchy &&
	       (given->options->details || given->options->instructions);
}

static bool hierarchy_and_accumulated(const struct given *given)
{
	return given->options->hierarchy && given->options->accumulated;
}

static bool hierarchy_in_rows(const struct given *given)
{
	return given->options->hierarchy && given->format != FORMAT_TEXT;
}

static bool details_twice(const struct given *given)
{
	return given->options->details && has_name(&given->by, "address");
}

static bool column_is_row(const struct given *given)
{
	return given->column && has_key(&given->by, given->column);
}

static bool column_of_code_and_children(const struct given *given)
{
	return given->column && given->column->of_frame && given->options->children;
}

static bool merged_and_told_apart(const struct given *given)
{
	for (size_t i = 0; i < given->merged.count; i++) {
		const struct key *key = given->merged.items[i];

		if (key == given->column || (given->options->by && has_key(&given->by, key)))
			return true;
	}
	return false;
}

static bool events_merged(const struct given *given)
{
	return has_name(&given->merged, "event");
}

static bool slice_of_nothing(const struct given *given)
{
	return given->options->selection.slice && !has_name(&given->by, "time") &&
	       !(given->column && strcmp(given->column->name, "time") == 0);
}

static bool accumulated_and_children(const struct given *given)
{
	return given->options->accumulated && given->options->children;
}

static bool cover_of_what_overlaps(const struct given *given)
{
	const struct report_options *options = given->options;

	return options->cover > 0 && (options->children || options->hierarchy || given->column);
}

static bool accumulated_and_columns(const struct given *given)
{
	return given->options->accumulated && given->column;
}

static bool global_and_columns(const struct given *given)
{
	return given->options->global_percent && given->column;
}

static bool no_table(const struct given *given)
{
	const struct report_options *options = given->options;

	return !given->grouped && (options->sort || options->reversed || options->accumulated ||
				   options->global_percent || options->bare || options->cover > 0);
}

static bool bare_json(const struct given *given)
{
	return given->options->bare && given->format == FORMAT_JSON;
}

static const struct {
	bool (*holds)(const struct given *given);
	const char *sentence;
} rows[] = {
	{ children_and_instructions,
	  "-d and --children cannot be used together: -d shows only what was hit itself" },
	{ instructions_without_address,
	  "-d shows the instruction at each address: add the key 'address' to --by" },
	{ syntax_of_nothing, "--intel-syntax needs -d, which shows instructions" },
	{ inlines_and_instructions, "-d and --inlines cannot be used together: -d shows functions "
				    "as they are in their file" },
	{ children_and_details, "--details and --children cannot be used together: --details lists "
				"only addresses that were hit" },
	{ details_and_instructions,
	  "--details and -d cannot be used together: use -d --by symbol,address" },
	{ columns_and_instructions, "-d and --columns cannot be used together" },
	{ columns_and_details, "--details and --columns cannot be used together: use --columns "
			       "with --by symbol,address" },
	{ hierarchy_and_children, "--hierarchy and --children cannot be used together: for what "
				  "functions called see prospect graph" },
	{ hierarchy_and_columns, "--hierarchy and --columns cannot be used together" },
	{ hierarchy_and_parts, "--hierarchy cannot be used with --details or -d: use --by "
			       "symbol,address for addresses" },
	{ hierarchy_and_accumulated,
	  "--accumulated and --hierarchy cannot be used together: nested rows overlap" },
	{ hierarchy_in_rows,
	  "--hierarchy needs --format text: csv and json rows have all keys of --by without it" },
	{ details_twice,
	  "--details and --by address cannot be used together: both show addresses" },
	{ column_is_row, "--columns and --by cannot have the same key" },
	{ column_of_code_and_children, "with --children, --columns needs a key that is not code, "
				       "such as cpu or thread: columns would overlap" },
	{ merged_and_told_apart, "--merge cannot have a key of --by or --columns" },
	{ events_merged,
	  "--merge event is not possible: events have different units; choose one with --select "
	  "event=NAME, or show them side by side with --columns event" },
	{ slice_of_nothing, "--slice needs --by time or --columns time" },
	{ accumulated_and_children, "--accumulated and --children cannot be used together: shares "
				    "of callers and callees overlap" },
	{ cover_of_what_overlaps,
	  "--cover cannot be used with --children, --hierarchy or --columns" },
	{ accumulated_and_columns, "--accumulated and --columns cannot be used together" },
	{ global_and_columns, "--global-percent and --columns cannot be used together" },
	{ no_table, "--sort, --reverse, --accumulated, --cover, --global-percent and --no-header "
		    "need a table: add --by, --children, --columns, --details or --hierarchy" },
	{ bare_json, "--no-header cannot be used with --format json: use csv" },
};

size_t contradictions_tell(const struct given *given,
			   void (*tell)(void *context, const char *sentence), void *context)
{
	size_t count = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!rows[i].holds(given))
			continue;
		tell(context, rows[i].sentence);
		count++;
	}
	return count;
}
