/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a listing between two labels, as in objdump -d --no-show-raw-insn: decoded
 * instructions, "..." for runs of zeroes, literals as directives, objects as text.
 */
#ifndef CODE_CODE_LISTING_H
#define CODE_CODE_LISTING_H

#include <stdbool.h>
#include <stdint.h>

#include "code/code_decoder.h"

struct code_line {
	uint64_t address;
	uint32_t length;  /* bytes */
	const char *text; /* borrowed for the call */
};

/* False: stop. */
typedef bool (*code_visit)(void *context, const struct code_line *line);

struct code_listing {
	struct code_machine machine;
	struct code_stretch stretch; /* its bytes may reach beyond @end: an instruction that begins
					before it is decoded whole */
	uint64_t end;		     /* of the lines; > stretch.start */
	bool data;		     /* the bytes are an object, not code */
	/* True if there is a literal at the address; its size in bytes (1, 2, 4). NULL: no
	 * literals. */
	bool (*literal)(void *context, uint64_t address, uint32_t *ret_size);
	void *context;
	code_visit visit;
	void *visit_context;
};

/* Visits the lines from stretch.start to the last one that begins before @end. 1: all lines
 * visited; 0: the visitor stopped; -ENOTSUP: no decoder for the machine. */
int code_listing_run(struct code_decoder *decoder, const struct code_listing *listing,
		     struct err *err);

#endif
