/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which program a process runs, by the rules at the top of machine.h, and its instance number among
 * those of that name. Private to the machine_*.c files.
 */
#ifndef MODEL_PROGRAMS_H
#define MODEL_PROGRAMS_H

#include "base/vec.h"
#include "model/living.h"
#include "model/machine.h"

struct programs {
	struct profile *profile; /* borrowed */
	machine_is_link is_link;
	void *context;
	VEC(uint32_t) instances; /* by program: instances so far */
};

/* Sets the program of the process's row for good, and its instance number. */
void programs_settle(struct programs *programs, struct live_process *process, str_id program);
/* The awaited mapping or name will not come: settles on the provisional program. */
void programs_settle_as_is(struct programs *programs, struct live_process *process);
/* The process's row is about to be overwritten: frees its instance number if it was the last. */
void programs_take_back(struct programs *programs, const struct live_process *process);

/* The program as /proc shows it. */
str_id programs_of_scan(struct programs *programs, const struct machine_process *info);
/* The program after an exec, from the first mapped file. */
str_id programs_of_exec(struct programs *programs, const struct live_process *process,
			uint32_t image);
void programs_done(struct programs *programs);

#endif
