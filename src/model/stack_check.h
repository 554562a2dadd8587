/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results of `prospect check --stacks`: live stacks as the interrupt walked them, compared with
 * libdwfl's walk from the same registers and memory. */
#ifndef MODEL_STACK_CHECK_H
#define MODEL_STACK_CHECK_H

#include <stdint.h>

#include "base/vec.h"

/* id, name, what a person reads */
#define STACK_VERDICTS(X)                                                             \
	X(EQUAL, "equal", "the same frames")                                          \
	X(LONGER, "longer", "the same frames, and callers that libdwfl did not find") \
	X(SHORTER, "shorter", "the same frames, but libdwfl found more callers")      \
	X(DIFFERENT, "different", "other frames")                                     \
	X(UNCHECKED, "unchecked", "libdwfl had no file or no table, or its walk failed")

enum stack_verdict {
#define ROW(id, name, text) STACK_VERDICT_##id,
	STACK_VERDICTS(ROW)
#undef ROW
		STACK_VERDICT_COUNT
};

const char *stack_verdict_name(enum stack_verdict verdict);
const char *stack_verdict_text(enum stack_verdict verdict);

enum { STACK_CHECK_MAX_EXAMPLES = 8 }; /* per verdict */

struct stack_check_counts {
	uint64_t samples; /* number compared; the verdicts add up to it */
	uint64_t verdicts[STACK_VERDICT_COUNT];
	uint64_t complete;    /* of the interrupt's stacks */
	uint64_t frames;      /* found by both */
	VEC(char *) examples; /* of differences, a line each; owned, see stack_check_counts_done */
};

void stack_check_counts_done(struct stack_check_counts *counts);

#endif
