/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where and how prospect count prints. */
#ifndef CMD_COUNT_OUTPUT_H
#define CMD_COUNT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/options/options.h"
#include "count/count.h"

struct count_output_values {
	const char *format, *file;
	bool brief, us, eu, hex;
};

/* clang-format off */
#define COUNT_OUTPUT_AT(type, member, field) \
	offsetof(type, member) + offsetof(struct count_output_values, field)

#define COUNT_OUTPUT_OPTION_ROWS(type, member) \
	{ "format", 0, OPTION_TEXT, COUNT_OUTPUT_AT(type, member, format), "FORMAT", \
	  .help = "text, csv or json (default text)" }, \
	{ "brief-format", 'b', OPTION_FLAG, COUNT_OUTPUT_AT(type, member, brief), NULL, \
	  .help = "print lines [key,]event,count,percent of time counted, as ocount does" }, \
	{ "output", 'f', OPTION_TEXT, COUNT_OUTPUT_AT(type, member, file), "FILE", \
	  .help = "write to FILE (default: stderr with a command, else stdout)" }, \
	{ "file", 'o', OPTION_TEXT, COUNT_OUTPUT_AT(type, member, file), "FILE", \
	  .help = "the same as -f" }, \
	{ "us-counter-format", 0, OPTION_FLAG, COUNT_OUTPUT_AT(type, member, us), NULL, \
	  .help = "in text, write counts as 1,234 (the default)" }, \
	{ "eu-counter-format", 0, OPTION_FLAG, COUNT_OUTPUT_AT(type, member, eu), NULL, \
	  .help = "in text, write counts as 1.234" }, \
	{ "hex-counter-format", 0, OPTION_FLAG, COUNT_OUTPUT_AT(type, member, hex), NULL, \
	  .help = "in text, write counts as 0x4d2" }
/* clang-format on */

/* What is counted, for its description; borrowed. */
struct count_output_options {
	char *const *argv;
	const pid_t *pids, *tids;
	size_t pid_count, tid_count;
	bool machine;	  /* counts CPUs; with @argv: while it runs */
	const char *cpus; /* CPUs counted; NULL: all */
	enum count_rows rows;
	bool follow; /* rows as pfmon's */
	bool intervals;
};

struct count_output;

/* Checks that the options can be combined. -EINVAL and one line. */
int count_output_check(const struct count_output_values *values, struct err *err);
/* Opens the output file, if the options name one. */
int count_output_new(const struct count_output_values *values,
		     const struct count_output_options *options, struct count_output **ret_output,
		     struct err *err);
void count_output_free(struct count_output *output); /* NULL is fine */

void count_output_interval(struct count_output *output, const struct counts *counts);
/* Prints all counts, unless intervals were printed, and closes the output. */
int count_output_finish(struct count_output *output, const struct counts *runs, size_t count,
			struct err *err);

#endif
