/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text that perf script prints of a recording (perf-script(1)), with whatever fields were asked
 * for:
 *
 *   COMM PID[/TID] [CPU] TIME: PERIOD EVENT:
 *           ADDRESS SYMBOL+OFFSET (IMAGE)
 *           ...
 *
 * a line for each frame, innermost first, then an empty one. CPU, time, period, offsets and images
 * may be missing; without call chains the one frame stands on the line of the event. Names may have
 * blanks in them.
 */
#ifndef IMPORT_PERF_SCRIPT_H
#define IMPORT_PERF_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/perf_data_input.h"

enum {
	PERF_SCRIPT_MAX_FRAMES = 8192, /* of a sample; more are left out */
	PERF_SCRIPT_MAX_LINE = 65536,  /* bytes; what is behind is left out */
	PERF_SCRIPT_NO_CPU = -1,
};

/* Texts are borrowed. */
struct perf_script_frame {
	uint64_t address; /* as printed: in memory, or in the file */
	bool has_address;
	const char *symbol; /* "" and "[unknown]": not known */
	uint64_t offset;    /* of the address in the symbol */
	bool has_offset;
	const char *image; /* path, "[kernel.kallsyms]", "inlined" ...; "": not printed */
};

struct perf_script_sample {
	const char *comm;
	int32_t pid, tid; /* equal where only one was printed */
	int cpu;	  /* PERF_SCRIPT_NO_CPU: not printed */
	uint64_t time_ns; /* 0: not printed */
	uint64_t period;
	bool has_period;
	const char *event; /* "": not printed */
	const struct perf_script_frame *frames;
	size_t frame_count;
	bool has_chain; /* frames had lines of their own */
};

/* The line of an event, changed and lent to *ret_sample, without frames. False: it is none. */
bool perf_script_parse_event(char *line, struct perf_script_sample *ret_sample);
/* The line of a frame, the same. */
bool perf_script_parse_frame(char *line, struct perf_script_frame *ret_frame);

/* Does a text that begins like this come from perf script? */
bool perf_script_is(const void *bytes, size_t size);

struct perf_script_visitor {
	void *context;
	/* 0 goes on, else it is returned from perf_script_read. */
	int (*sample)(void *context, const struct perf_script_sample *sample);
	/* A line of the head, "# NAME : VALUE", without its mark and blanks. */
	void (*head)(void *context, const char *name, const char *value);
};

/* Reads all of @input. *ret_odd: lines that could not be understood. */
int perf_script_read(struct perf_data_input *input, const struct perf_script_visitor *visitor,
		     uint64_t *ret_odd);

#endif
