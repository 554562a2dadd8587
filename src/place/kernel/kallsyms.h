/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of /proc/kallsyms and of a System.map: "ADDRESS TYPE NAME", followed by "\t[MODULE]" if
 * the symbol is not of the kernel proper (proc(5), nm(1)).
 */
#ifndef PLACE_KERNEL_KALLSYMS_H
#define PLACE_KERNEL_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct kallsyms_line {
	uint64_t address;
	char type;	    /* nm's letter: capital for global */
	const char *name;   /* borrowed */
	const char *module; /* "" for the kernel proper, "bpf", "__builtin__ftrace" ...; borrowed */
};

/* Splits a line (without newline) in place; *ret_line points into it. 0, or -EINVAL if it is not
 * such a line. */
int kallsyms_parse(char *line, struct kallsyms_line *ret_line);
/* True if this is the name of code: not data, no mapping symbol ($x, $d), no assembler label
 * (.L). */
bool kallsyms_is_code(const struct kallsyms_line *line);
/* Calls @visit for every line of the file, read in chunks. 0 or a negative errno; -EINVAL if the
 * file has any other line. */
int kallsyms_read(const char *path, void (*visit)(void *context, const struct kallsyms_line *line),
		  void *context, struct err *err);

#endif
