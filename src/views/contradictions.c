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
	  "-d shows what was hit itself, --children what was called as well: one of them" },
	{ instructions_without_address,
	  "-d tells the instruction at each address: --by needs the key 'address' too" },
	{ syntax_of_nothing,
	  "--intel-syntax is how instructions are written: it needs -d, which shows them" },
	{ inlines_and_instructions,
	  "-d shows functions as they are in their file, --inlines takes them apart: one of "
	  "them" },
	{ children_and_details,
	  "--details lists addresses that were hit, --children counts what was only called as "
	  "well: one of them" },
	{ details_and_instructions,
	  "--details lists addresses below a row, -d wants rows by address: --by symbol,address "
	  "with -d tells both" },
	{ columns_and_instructions,
	  "-d shows an instruction in each row, --columns has figures there: one of them" },
	{ columns_and_details,
	  "--details lists addresses below a row, --columns puts figures beside it: one of them, "
	  "or --columns with --by symbol,address" },
	{ hierarchy_and_children,
	  "--hierarchy shows rows as parts of others, those of --children overlap: one of them; "
	  "prospect graph shows what functions called" },
	{ hierarchy_and_columns, "--hierarchy puts values of keys below one another, --columns "
				 "side by side: one of them" },
	{ hierarchy_and_parts,
	  "--hierarchy has addresses as a level, --by symbol,address, and no instructions: without "
	  "--details and -d" },
	{ hierarchy_and_accumulated,
	  "--accumulated adds up rows, and those of --hierarchy are parts of others: one of them" },
	{ hierarchy_in_rows,
	  "--hierarchy is for people: rows of csv and json have all keys of --by without it" },
	{ details_twice,
	  "--details adds the addresses that --by address has already: one of them" },
	{ column_is_row,
	  "--columns puts the values of a key side by side, --by one below the other: not the "
	  "same key in both" },
	{ column_of_code_and_children,
	  "--children counts a sample in each function of its stack, so columns of code would "
	  "overlap: --columns wants a key of another kind, as cpu or thread" },
	{ merged_and_told_apart,
	  "--merge adds up what --by and --columns tell apart: not the same key in both" },
	{ events_merged,
	  "--merge event: samples of different events are no common unit and are never added up; "
	  "--select event=NAME chooses one, --columns event shows them side by side" },
	{ slice_of_nothing,
	  "--slice is how long a value of the key time is: it needs --by time or --columns time" },
	{ accumulated_and_children,
	  "--accumulated adds up shares, and those of --children overlap: one of them" },
	{ cover_of_what_overlaps,
	  "--cover adds up the shares of rows that are no part of each other, in one column: not "
	  "with --children, --hierarchy or --columns" },
	{ accumulated_and_columns,
	  "--accumulated adds up the shares of one column, --columns makes several: one of them" },
	{ global_and_columns,
	  "--global-percent takes shares of everything, --columns shares of each column: one of "
	  "them" },
	{ no_table, "--sort, --reverse, --accumulated, --cover, --global-percent and --no-header "
		    "are about a table: "
		    "ask for one with --by, --children, --columns, --details or --hierarchy" },
	{ bare_json, "--no-header leaves out what a JSON object needs: take its rows, or csv" },
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
