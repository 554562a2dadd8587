/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Images, functions and threads that are known only by name, in profiles that another tool
 * resolved. Texts that are passed in are copied. A bucket is an image with a name in brackets,
 * such as "[unknown]", for code that belongs to no file. */
#ifndef IMPORT_IMPORT_NAMES_H
#define IMPORT_IMPORT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "model/profile.h"

/* The remark for text with inlined functions that the import omits. */
#define IMPORT_INLINES_LEFT_OUT \
	"inlined functions are not frames of these stacks; --inlines adds them"

/* The kind of code that a path of perf's or ours names; IMAGE_BUCKET for "". */
enum image_kind import_names_kind(const char *path);
/* The image of that path and its kind. */
uint32_t import_names_image(struct profile *profile, const char *path);
/* What drives an event of that name: time, or something counted. */
enum clock_kind import_names_clock(const char *name, bool is_time);

/* The mode of a sample, by the innermost frame of its stack. */
enum mode import_names_mode(const struct profile *profile, uint32_t stack);
/* A frame with only a function's name; "" and "[unknown]": not even that. */
uint32_t import_names_frame(struct profile *profile, uint32_t image, const char *name,
			    enum frame_kind kind);
/* The frame for a name in brackets, a cut or a wait; 0 for other names. */
uint32_t import_names_mark(struct profile *profile, const char *name);

/* A thread, and the process it belongs to. */
struct import_names_thread {
	int32_t pid, tid;
	const char *comm;
	const char *program; /* NULL: the comm of the thread with the process's number */
	uint32_t instance;   /* of the program; 0: unknown */
};

struct import_names_process {
	uint32_t row;
	bool provisional; /* named after one of its threads until the main thread is seen */
};

/* Empty when zero-initialised except for the profile. */
struct import_names {
	struct profile *profile;
	VEC(struct import_names_process) processes;
	struct hashidx index; /* of processes, by pid */
};

void import_names_done(struct import_names *names);
/* The row of the thread in profile.tasks. */
uint32_t import_names_task(struct import_names *names, const struct import_names_thread *told);
/* Call after the last thread: numbers the instances that were unknown. */
void import_names_finish(struct import_names *names);

#endif
