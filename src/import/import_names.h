/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known by name only: the images, functions and threads of profiles in which all that was
 * resolved long ago. */
#ifndef IMPORT_IMPORT_NAMES_H
#define IMPORT_IMPORT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "model/profile.h"

/* What users are told of text that has more than an import takes. */
#define IMPORT_INLINES_LEFT_OUT \
	"inlined functions are not frames of these stacks; --inlines adds them"

/* What kind of code a path of perf's or ours stands for; "" is a bucket. */
enum image_kind import_names_kind(const char *path);
/* The image of that path, of the kind it stands for. */
uint32_t import_names_image(struct profile *profile, const char *path);
/* What made an event of that name tick: time, or something that is counted. */
enum clock_kind import_names_clock(const char *name, bool is_time);
/* Is it the kernel's, or one of its modules? */
bool import_names_is_kernel(enum image_kind kind);

/* The mode of a sample of a stack, by its innermost frame. */
enum mode import_names_mode(const struct profile *profile, uint32_t stack);
/* A frame of which only the function's name is known; "" and "[unknown]": not even that. */
uint32_t import_names_frame(struct profile *profile, uint32_t image, const char *name,
			    enum frame_kind kind);
/* The frame that a name in brackets stands for, why a stack was cut or what a thread waited for; 0
 * for other names. */
uint32_t import_names_mark(struct profile *profile, const char *name);

/* Threads, and the processes they must belong to. */
struct import_names_thread {
	int32_t pid, tid;
	const char *comm;
	const char *program; /* NULL: the comm of the thread with the process's number */
	uint32_t instance;   /* of the program; 0: not told */
};

struct import_names_process {
	uint32_t row;
	bool provisional; /* called by one of its threads until the first of them is told */
};

/* Zero-initialised but for the profile is empty. */
struct import_names {
	struct profile *profile;
	VEC(struct import_names_process) processes;
	struct hashidx index; /* of processes, by pid */
};

void import_names_done(struct import_names *names);
/* The row of profile.tasks of a thread. */
uint32_t import_names_task(struct import_names *names, const struct import_names_thread *told);
/* Everybody was told: numbers the instances that were not told. */
void import_names_finish(struct import_names *names);

#endif
