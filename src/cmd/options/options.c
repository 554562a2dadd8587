/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "cmd/options/option_value.h"

enum { MAX_SHOWN_NAME = 64 };

/* All commands have help; it is in no command's table. */
static const struct option_spec help_option = {
	.long_name = "help", .short_name = 'h', .type = OPTION_FLAG, .help = "print this text"
};

/* A text option as typed; another value for it is an error. */
struct given {
	size_t offset;
	char name[MAX_SHOWN_NAME];
	const char *value;
};

struct parser {
	const struct option_spec *specs;
	int argc;
	char **argv;
	int at;	      /* index of the current word */
	void *values; /* NULL: check only */
	bool help;
	struct err *err;
	VEC(struct given) given;
};

/* True for the all-zero row. */
static bool is_end(const struct option_spec *spec)
{
	return !spec->long_name && !spec->short_name;
}

/* The listed long name nearest to @typed. Up to a third of its letters may be wrong, but always up
 * to two; NULL if none is that near. */
static const char *nearest_long(const struct option_spec *specs, const char *typed)
{
	unsigned best = (unsigned)strlen(typed) / 3;
	const char *nearest = NULL;

	best = (best < 2 ? 2 : best) + 1;
	for (const struct option_spec *spec = specs; !is_end(spec); spec++) {
		unsigned distance;

		if (!spec->long_name || !spec->help)
			continue;
		distance = text_distance(typed, spec->long_name, best - 1);
		if (distance < best) {
			best = distance;
			nearest = spec->long_name;
		}
	}
	return nearest;
}

static int unknown(struct parser *parser, const char *name, const char *nearest)
{
	if (!nearest)
		return err_set(parser->err, -EINVAL,
			       "unknown option '%s': --help lists all options", name);
	return err_set(parser->err, -EINVAL, "unknown option '%s': did you mean '%s'?", name,
		       nearest);
}

/* Suggests the same letter in the other case, or a long name that was written with one dash. @word
 * is the whole word as typed. */
static int unknown_short(struct parser *parser, char letter, const char *word)
{
	const char name[] = { '-', letter, '\0' };
	const char *near = strlen(word) > 3 ? nearest_long(parser->specs, word + 1) : NULL;
	char text[MAX_SHOWN_NAME];

	if (near) {
		snprintf(text, sizeof(text), "--%s", near);
		return unknown(parser, word, text);
	}
	for (const struct option_spec *spec = parser->specs; !is_end(spec); spec++) {
		if (spec->short_name &&
		    tolower((unsigned char)spec->short_name) == tolower((unsigned char)letter)) {
			snprintf(text, sizeof(text), "-%c", spec->short_name);
			return unknown(parser, name, text);
		}
	}
	return unknown(parser, name, NULL);
}

/* @name: with its dashes, without "=VALUE". */
static int unknown_long(struct parser *parser, const char *name)
{
	const char *near = nearest_long(parser->specs, name + 2);
	char text[MAX_SHOWN_NAME];

	if (near)
		snprintf(text, sizeof(text), "--%s", near);
	return unknown(parser, name, near ? text : NULL);
}

static void *place_of(const struct parser *parser, const struct option_spec *spec)
{
	return parser->values ? (char *)parser->values + spec->offset : NULL;
}

/* Handles an option without a value. Returns 1 if it was one. @value: text attached to it, or
 * NULL. */
static int take_flag(struct parser *parser, const struct option_spec *spec, const char *name,
		     const char *value)
{
	bool *place;

	if (spec->type == OPTION_REFUSED)
		return err_set(parser->err, -EINVAL, "%s: %s", name, spec->help);
	if (spec->type == OPTION_OPTIONAL && !value) {
		const char **text = place_of(parser, spec);

		if (text)
			*text = "";
		return 1;
	}
	if (spec->type != OPTION_FLAG)
		return 0;
	place = place_of(parser, spec);
	if (spec == &help_option)
		parser->help = true;
	else if (place)
		*place = true;
	return 1;
}

/* The first value would have no effect: there is another for the same option, or for a synonym. */
static int refuse_second(const struct parser *parser, const struct option_spec *spec,
			 const struct given *first, const char *name, const char *value)
{
	bool is_list = spec->argument && strcmp(spec->argument, "KEYS") == 0;

	if (spec->hint)
		return err_set(parser->err, -EINVAL, "%s is given twice, '%s' and '%s': %s", name,
			       first->value, value, spec->hint);
	if (strcmp(first->name, name) != 0)
		return err_set(parser->err, -EINVAL, "%s '%s' and %s '%s' cannot be used together",
			       first->name, first->value, name, value);
	return err_set(parser->err, -EINVAL,
		       "%s is given twice, '%s' and '%s': give it once%s%s%s%s", name, first->value,
		       value, is_list ? ", as " : "", is_list ? first->value : "",
		       is_list ? "," : "", is_list ? value : "");
}

/* Of numbers the last one counts, which helps to repeat a command line with one more option. But a
 * file or a list of keys must not be ignored. The same text twice is fine. */
static int check_once(struct parser *parser, const struct option_spec *spec, const char *name,
		      const char *value)
{
	struct given *given;

	if (spec->type != OPTION_TEXT && spec->type != OPTION_OPTIONAL)
		return 0;
	for (size_t i = 0; i < parser->given.count; i++) {
		given = &parser->given.items[i];
		if (given->offset == spec->offset && strcmp(given->value, value) != 0)
			return refuse_second(parser, spec, given, name, value);
	}
	given = vec_push(&parser->given);
	*given = (struct given){ .offset = spec->offset, .value = value };
	snprintf(given->name, sizeof(given->name), "%s", name);
	return 0;
}

/* @value: text attached to the option; NULL: the next word is the value. */
static int take_value(struct parser *parser, const struct option_spec *spec, const char *name,
		      const char *value)
{
	int rc;

	if (!value) {
		if (parser->at + 1 >= parser->argc ||
		    strcmp(parser->argv[parser->at + 1], "--") == 0)
			return option_value_missing(spec, name, parser->err);
		value = parser->argv[++parser->at];
	}
	rc = option_value_set(spec, name, value, place_of(parser, spec), parser->err);
	return rc < 0 ? rc : check_once(parser, spec, name, value);
}

static const struct option_spec *find_short(const struct parser *parser, char letter)
{
	for (const struct option_spec *spec = parser->specs; !is_end(spec); spec++) {
		if (spec->short_name == letter)
			return spec;
	}
	return letter == help_option.short_name ? &help_option : NULL;
}

/* "-V4", "-V 4", "-aq": letters, until one takes the rest of the word as its value. */
static int parse_short(struct parser *parser)
{
	const char *word = parser->argv[parser->at];

	for (const char *letter = word + 1; *letter; letter++) {
		const char name[] = { '-', *letter, '\0' };
		const struct option_spec *spec = find_short(parser, *letter);
		int rc;

		if (!spec)
			return unknown_short(parser, *letter, word);
		rc = take_flag(parser, spec, name, NULL);
		if (rc < 0)
			return rc;
		if (rc == 0)
			return take_value(parser, spec, name, letter[1] ? letter + 1 : NULL);
	}
	return 0;
}

/* The row for the first @length letters of @typed: a whole name, or the beginning of only one name.
 * *ret_other is a second row that begins alike. */
static const struct option_spec *find_long(const struct parser *parser, const char *typed,
					   size_t length, const struct option_spec **ret_other)
{
	const struct option_spec *found = NULL;

	*ret_other = NULL;
	for (const struct option_spec *spec = parser->specs;; spec++) {
		bool end = is_end(spec);
		const struct option_spec *row = end ? &help_option : spec;

		if (row->long_name && strncmp(row->long_name, typed, length) == 0) {
			if (!row->long_name[length]) {
				*ret_other = NULL;
				return row;
			}
			*ret_other = found;
			found = row;
		}
		if (end)
			return found;
	}
}

/* "--name", "--name VALUE", "--name=VALUE". */
static int parse_long(struct parser *parser)
{
	const char *typed = parser->argv[parser->at] + 2;
	size_t length = strcspn(typed, "=");
	const char *value = typed[length] ? typed + length + 1 : NULL;
	const struct option_spec *other;
	const struct option_spec *spec = length ? find_long(parser, typed, length, &other) : NULL;
	char name[MAX_SHOWN_NAME];
	int rc;

	snprintf(name, sizeof(name), "--%.*s", (int)length, typed);
	if (!spec)
		return unknown_long(parser, name);
	if (other)
		return err_set(parser->err, -EINVAL, "ambiguous option %s: --%s or --%s", name,
			       other->long_name, spec->long_name);
	snprintf(name, sizeof(name), "--%s", spec->long_name);
	rc = take_flag(parser, spec, name, value);
	if (rc > 0 && value)
		return err_set(parser->err, -EINVAL, "%s takes no value", name);
	if (rc != 0)
		return rc;
	return take_value(parser, spec, name, value);
}

/* The words of a command line, sorted: written back with options first, words last. */
struct sorted {
	VEC(char *) options;
	VEC(char *) words;
};

static int write_back(const struct sorted *sorted, char **argv)
{
	int at = 1;

	for (size_t i = 0; i < sorted->options.count; i++)
		argv[at++] = sorted->options.items[i];
	for (size_t i = 0; i < sorted->words.count; i++)
		argv[at + (int)i] = sorted->words.items[i];
	return at;
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

/* Parses one option and its value. */
static int parse_one(struct parser *parser, struct sorted *sorted)
{
	int first = parser->at;
	int rc = parser->argv[first][1] == '-' ? parse_long(parser) : parse_short(parser);

	for (; rc >= 0 && first <= parser->at; first++)
		*vec_push(&sorted->options) = parser->argv[first];
	return rc;
}

static int parse_all(struct parser *parser, bool stop_at_word, struct sorted *sorted)
{
	bool ended = false;
	int rc;

	for (; parser->at < parser->argc && !parser->help; parser->at++) {
		char *word = parser->argv[parser->at];

		if (!ended && strcmp(word, "--") == 0) {
			*vec_push(&sorted->options) = word;
			ended = true;
		} else if (ended || !is_option(word)) {
			ended = ended || stop_at_word;
			*vec_push(&sorted->words) = word;
		} else {
			rc = parse_one(parser, sorted);
			if (rc < 0)
				return rc;
		}
	}
	for (; parser->at < parser->argc; parser->at++)
		*vec_push(&sorted->words) = parser->argv[parser->at];
	return 0;
}

int options_parse(const struct option_spec *specs, int argc, char **argv, bool stop_at_word,
		  void *values, bool *ret_help, struct err *err)
{
	struct parser parser = {
		.specs = specs, .argc = argc, .argv = argv, .at = 1, .values = values, .err = err
	};
	struct sorted sorted = { 0 };
	int rc = parse_all(&parser, stop_at_word, &sorted);

	if (rc == 0) {
		rc = write_back(&sorted, argv);
		*ret_help = parser.help;
	}
	vec_free(&sorted.options);
	vec_free(&sorted.words);
	vec_free(&parser.given);
	return rc;
}

static void print_row(const struct option_spec *spec)
{
	char names[MAX_SHOWN_NAME];
	int used = 0;

	if (!spec->help || spec->type == OPTION_REFUSED)
		return;
	if (spec->short_name)
		used = snprintf(names, sizeof(names), "-%c%s", spec->short_name,
				spec->long_name ? ", " : "");
	else
		used = snprintf(names, sizeof(names), "    ");
	snprintf(names + used, sizeof(names) - (size_t)used, "%s%s%s%s%s",
		 spec->long_name ? "--" : "", spec->long_name ? spec->long_name : "",
		 !spec->argument		 ? ""
		 : spec->type == OPTION_OPTIONAL ? "[="
						 : " ",
		 spec->argument ? spec->argument : "", spec->type == OPTION_OPTIONAL ? "]" : "");
	printf("  %-28s %s\n", names, spec->help);
}

static void print_help(const struct command *command)
{
	printf("prospect %s: %s\n\nUsage: prospect %s %s\n\nOptions:\n", command->name,
	       command->summary, command->name, command->usage);
	for (const struct option_spec *spec = command->options; !is_end(spec); spec++)
		print_row(spec);
	print_row(&help_option);
	if (command->more_help)
		command->more_help();
}

int options_fail(const struct command *command, const struct err *err, int status)
{
	fprintf(stderr, "prospect %s: %s\n", command->name, err->text);
	return status;
}

int options_begin(const struct command *command, int argc, char **argv, void *values,
		  int *ret_status)
{
	bool help = false;
	struct err err;
	int first = options_parse(command->options, argc, argv, command->takes_command, values,
				  &help, &err);

	if (first >= 0 && !help)
		return first;
	*ret_status = 0;
	if (help)
		print_help(command);
	else
		*ret_status = options_fail(command, &err, 2);
	return -1;
}

int options_border(int argc, char **argv)
{
	int at = 1;

	while (at < argc && strcmp(argv[at], "--") != 0)
		at++;
	return at;
}

void options_print_rows(const struct option_spec *specs)
{
	for (const struct option_spec *spec = specs; !is_end(spec); spec++) {
		if (spec->help && spec->type != OPTION_REFUSED)
			printf("%c\t%s\t%s\t%s\n", spec->short_name ? spec->short_name : '-',
			       spec->long_name ? spec->long_name : "-",
			       spec->argument && spec->type != OPTION_OPTIONAL ? spec->argument
									       : "-",
			       spec->words ? spec->words : "-");
	}
}
