/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles in other tools' formats: a table with one writer for each. A writer gets the selection,
 * added up as for all views, and does no counting of its own. To add a format, add a file
 * export_NAME.c that defines `export_NAME`, and a row to EXPORT_FORMATS.
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

/* The value of a stack in formats that have only one. */
enum export_value {
	EXPORT_WEIGHT,
	EXPORT_SAMPLES,
};

/* Gets one row or sample of the selection. */
typedef void (*export_take)(void *context, const struct point *point);

/* Everything is borrowed. */
struct export_data {
	const struct view *view; /* for the header of JSON, see json_header.h */
	const struct labels *labels;
	const struct profile *profile;
	const struct export_code *code; /* has every frame of the rows */
	/* The selection, with all samples added up that differ in time and CPU only. Sorted by
	 * task, stack, context, mode, event. Never empty. */
	const struct total *rows;
	size_t count;
	struct total sums[PROFILE_MAX_EVENTS]; /* samples and weight of the rows by event */
	/* Visits the selection, in order of time if has_times. Samples that are alike in
	 * everything, including time and CPU, may come as one. */
	int (*each)(void *source, export_take take, void *context, struct err *err);
	void *source;
	bool has_times; /* each row is of one time; false: all times are 0 */
	uint8_t event;	/* the event of formats with only one */
	enum export_value value;
	/* The root of stacks in formats that have no other place for it. */
	bool by_thread; /* the thread, as import reads it; else: */
	struct key_list by;
	uint32_t image; /* the executable of formats with only one; 0: none was found */
};

/* Limit for samples one by one in formats that a browser reads. */
enum { EXPORT_MOST_TIMED = 1000000 };

/* A writer's remark, one line; "" none. */
struct export_note {
	char text[512];
};

struct export_format {
	const char *name;
	const char *help;
	bool binary;	/* not for a terminal */
	bool few;	/* samples one by one up to EXPORT_MOST_TIMED only */
	bool one_event; /* writes data->event alone */
	bool by;	/* uses data->by and data->value */
	bool lines;	/* shows source lines, not only inlined functions */
	bool as_rows;	/* names functions without a name as the CSV of reports does */
	/* Write errors stay in @out for ferror(). Returns errors of reading, or an error if the
	 * selection has nothing for this format. */
	int (*write)(const struct export_data *data, FILE *out, struct export_note *note,
		     struct err *err);
};

/* In the order of help. */
#define EXPORT_FORMATS(X) \
	X(pprof)          \
	X(collapsed)      \
	X(speedscope)     \
	X(firefox)        \
	X(callgrind)      \
	X(perf_script)    \
	X(json)           \
	X(csv)            \
	X(gmon)

#define EXPORT_FORMAT_DECLARE(name) extern const struct export_format export_##name;
EXPORT_FORMATS(EXPORT_FORMAT_DECLARE)
#undef EXPORT_FORMAT_DECLARE

/* All formats, ended by NULL. */
const struct export_format *const *export_formats(void);

/* Shared by writers: */

/* The name of an event, and "ns" or "count". */
const char *export_event(const struct export_data *data, size_t event);
const char *export_unit(const struct export_data *data, size_t event);
/* As json_add_text, with the text escaped (base/text.h). */
void export_add_json(struct buf *buf, const char *name, const char *text);
/* Appends the image's build id in hexadecimal. */
void export_add_build_id(struct buf *buf, const struct image *image);
/* An ELF virtual address in the code that ran: a return address lies after its call. */
uint64_t export_code_address(const struct frame *frame);
/* The image a frame belongs to. */
const struct image *export_image_of(const struct export_data *data, uint32_t frame);
/* The frames of a stack, innermost first. */
struct export_frames {
	VEC(uint32_t) list;
};
void export_stack(const struct export_data *data, uint32_t stack, struct export_frames *frames);

#endif
