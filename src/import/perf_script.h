/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text that perf script prints (perf-script(1)), with any choice of fields:
 *
 *   COMM PID[/TID] [CPU] TIME: PERIOD EVENT:
 *           ADDRESS SYMBOL+OFFSET (IMAGE)
 *           ...
 *
 * One line for each frame, innermost first, then an empty line. CPU, time, period, offsets and
 * images may be missing. Without call chains the one frame is on the event's line. A COMM may be empty,
 * have blanks, and look like the other fields; blanks around it are lost. All lines have a PID or none
 * has; without it they need a CPU or a time. Other lines are skipped and counted, also before the first
 * event.
 */
#ifndef IMPORT_PERF_SCRIPT_H
#define IMPORT_PERF_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/perf_data_input.h"

enum {
	PERF_SCRIPT_MAX_FRAMES = 8192, /* of a sample; further ones are omitted */
	PERF_SCRIPT_MAX_LINE = 65536,  /* bytes; the rest of the line is ignored */
	PERF_SCRIPT_NO_CPU = -1,
};

/* Texts are borrowed. */
struct perf_script_frame {
	uint64_t address; /* as printed: in memory, or in the file */
	bool has_address;
	const char *symbol; /* "" and "[unknown]": unknown */
	uint64_t offset;    /* of the address in the symbol */
	bool has_offset;
	const char *image; /* path, "[kernel.kallsyms]", "inlined" ...; "": not printed */
};

struct perf_script_sample {
	const char *comm;
	bool has_task;	  /* false: perf printed no numbers, and pid and tid are -1 */
	int32_t pid, tid; /* equal where perf printed one number only */
	int cpu;	  /* PERF_SCRIPT_NO_CPU: not printed */
	uint64_t time_ns; /* 0: not printed */
	uint64_t period;
	bool has_period;
	const char *event; /* "": not printed */
	const struct perf_script_frame *frames;
	size_t frame_count;
	bool has_chain; /* frames were on lines of their own */
};

/* True if a text that begins with @bytes is perf script's. */
bool perf_script_is(const void *bytes, size_t size);

struct perf_script_visitor {
	void *context;
	/* Any result but 0 ends perf_script_read, which returns it. */
	int (*sample)(void *context, const struct perf_script_sample *sample);
	/* A line of the head, "# NAME : VALUE", without its mark and blanks. */
	void (*head)(void *context, const char *name, const char *value);
};

/* Reads all of @input. *ret_odd: malformed lines. */
int perf_script_read(struct perf_data_input *input, const struct perf_script_visitor *visitor,
		     uint64_t *ret_odd);

#endif
