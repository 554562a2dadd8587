/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which program a process runs, by the rules at the top of machine.h, and the how-manieth of that
 * name it is. Private to machine.c.
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
	VEC(uint32_t) instances; /* by program: how many there were */
};

/* Gives the process's row its program for good, and with it its place among those of that name. */
void programs_settle(struct programs *programs, struct live_process *process, str_id program);
/* What was awaited will not come: the program is what it was said to be for the time being. */
void programs_settle_as_is(struct programs *programs, struct live_process *process);
/* The process's row is about to be written over: its number is free again if it was the last. */
void programs_take_back(struct programs *programs, const struct live_process *process);

/* As /proc shows it. */
str_id programs_of_scan(struct programs *programs, const struct machine_process *info);
/* After an exec, from the first file that was mapped. */
str_id programs_of_exec(struct programs *programs, const struct live_process *process,
			uint32_t image);
void programs_done(struct programs *programs);

#endif
