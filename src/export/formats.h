/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles in the formats of other tools: one writer for each behind one table. A writer gets what
 * was selected, added up as everything that shows it does, and does not count on its own.
 */
#ifndef EXPORT_FORMATS_H
#define EXPORT_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "aggregate/keys.h"
#include "base/err.h"
#include "export/export_code.h"
#include "present/view.h"

/* What a count is where a format has only one for each stack. */
enum export_value {
	EXPORT_WEIGHT,
	EXPORT_SAMPLES,
};

/* Takes one of what was selected. */
typedef void (*export_take)(void *context, const struct point *point);

/* Everything is borrowed. */
struct export_data {
	const struct view *view; /* what json_header.h says is looked at */
	const struct labels *labels;
	const struct profile *profile;
	const struct export_code *code; /* has every frame of the rows */
	/* What was selected, all samples alike in everything but time and CPU added up; ordered by
	 * task, stack, context, mode, event. Never empty. */
	const struct total *rows;
	size_t count;
	struct total sums[PROFILE_MAX_EVENTS]; /* samples and weight of the rows by event */
	/* The same in order of time; samples that are alike in everything, time and CPU too, may
	 * come as one. */
	int (*each)(void *source, export_take take, void *context, struct err *err);
	void *source;
	bool has_times; /* are samples of one time each, or is it 0 with all of them? */
	uint8_t event;	/* for formats of one event: the one that is meant */
	enum export_value value;
	/* What stands at the root of stacks in formats that have nothing else. */
	bool by_thread; /* the thread, in a form that import understands; else: */
	struct key_list by;
	uint32_t image; /* for formats of one executable; 0: none was found */
};

/* More samples than this are not shown one by one in formats that are read into a browser. */
enum { EXPORT_MOST_TIMED = 1000000 };

/* What a writer has to say besides: one line for a person, "" nothing. */
struct export_note {
	char text[512];
};

struct export_format {
	const char *name;
	const char *help;
	bool binary;	/* nothing for a terminal */
	bool few;	/* read as a whole: samples one by one up to EXPORT_MOST_TIMED only */
	bool one_event; /* writes data->event alone */
	bool by;	/* has use for data->by and data->value */
	bool lines;	/* shows source lines, not only inlined functions */
	/* Of @data what its comment says. Write errors are left in @out for ferror(); what is
	 * returned are errors of reading, or that the selection has nothing for this format. */
	int (*write)(const struct export_data *data, FILE *out, struct export_note *note,
		     struct err *err);
};

/* All of them, ended by a row without a name. */
const struct export_format *export_formats(void);
/* -EINVAL and one line that lists them when there is none of that name. */
int export_find(const char *name, const struct export_format **ret_format, struct err *err);

/* Shared by writers: */

/* A weight or a number of samples, as data->value has it. */
uint64_t export_value_of(const struct export_data *data, const struct total *total);
/* The name of an event, and "ns" or "count". */
const char *export_event(const struct export_data *data, size_t event);
const char *export_unit(const struct export_data *data, size_t event);
/* The image a frame belongs to. */
const struct image *export_image_of(const struct export_data *data, uint32_t frame);
/* Is it code of the kernel: it itself, its modules and BPF programs? */
bool export_is_kernel(const struct image *image);
/* The frames of a stack, innermost first. */
struct export_frames {
	VEC(uint32_t) list;
};
void export_stack(const struct export_data *data, uint32_t stack, struct export_frames *frames);

int export_pprof_write(const struct export_data *data, FILE *out, struct export_note *note,
		       struct err *err);
int export_collapsed_write(const struct export_data *data, FILE *out, struct export_note *note,
			   struct err *err);
int export_speedscope_write(const struct export_data *data, FILE *out, struct export_note *note,
			    struct err *err);
int export_firefox_write(const struct export_data *data, FILE *out, struct export_note *note,
			 struct err *err);
int export_callgrind_write(const struct export_data *data, FILE *out, struct export_note *note,
			   struct err *err);
int export_perf_script_write(const struct export_data *data, FILE *out, struct export_note *note,
			     struct err *err);
int export_json_write(const struct export_data *data, FILE *out, struct export_note *note,
		      struct err *err);
int export_csv_write(const struct export_data *data, FILE *out, struct export_note *note,
		     struct err *err);
int export_gmon_write(const struct export_data *data, FILE *out, struct export_note *note,
		      struct err *err);

#endif
