/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chosen processes in a recording of the whole machine: of the others no samples are kept. A
 * process is chosen by its name, when it is sampled or before it forks or runs another program,
 * because what it starts is chosen as well.
 */
#ifndef ATTRIBUTE_CHOSEN_H
#define ATTRIBUTE_CHOSEN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/machine.h"
#include "model/profile.h"
#include "model/who.h"

struct perf_record;

/* True if samples of the process (row in profile.processes) are kept: it is chosen, and then
 * marked as in_command, or @only is NULL. */
bool chosen_process(const struct who *only, struct profile *profile, uint32_t process);
/* The same for the process of a row in profile.tasks. */
bool chosen_task(const struct who *only, struct profile *profile, uint32_t task);
/* Call after an exec, with the name given to it: a link has another name than its program. */
void chosen_exec(const struct who *only, struct profile *profile, uint32_t process,
		 const char *comm);
/* Call before a record changes the machine. */
void chosen_before(const struct who *only, struct profile *profile, const struct machine *machine,
		   const struct perf_record *record);

#endif
