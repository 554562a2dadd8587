/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file that -f or -o names. It is never a profile: who takes the option for the one that names
 * the input would lose what was recorded.
 */
#ifndef CMD_OPTIONS_OUTPUT_OPTION_H
#define CMD_OPTIONS_OUTPUT_OPTION_H

#include "base/err.h"
#include "base/output_file.h"

/* Opens @path as output_file_open does; -EEXIST if a profile is there. @meaning is what the message
 * says of the option: "-o names the page". */
int output_option_open(const char *path, const char *meaning, struct output_file **ret_file,
		       struct err *err);

#endif
