/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of /proc/kallsyms and of a System.map: "ADDRESS TYPE NAME", with "\t[MODULE]" behind it
 * for what is not of the kernel proper (proc(5), nm(1)).
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

/* Splits a line (without newline), which is changed and lent to *ret_line. 0, or -EINVAL for what
 * is none. */
int kallsyms_parse(char *line, struct kallsyms_line *ret_line);
/* Is this the name of code? Not data, nor the marks of mapping symbols ($x, $d) and assembler
 * labels (.L). */
bool kallsyms_is_code(const struct kallsyms_line *line);
/* Calls @visit for every line of the file, read piece by piece. 0 or a negative errno: -EINVAL for
 * a file that has other lines. */
int kallsyms_read(const char *path, void (*visit)(void *context, const struct kallsyms_line *line),
		  void *context, struct err *err);

#endif
