/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words in the text of perf script, and what export adds to its head for import to recognize. */
#ifndef MODEL_PERF_TEXT_H
#define MODEL_PERF_TEXT_H

#define PERF_TEXT_KERNEL  "[kernel.kallsyms]"
#define PERF_TEXT_INLINED "inlined" /* instead of a file: the function was inlined */

/* In the head. If the version of perf is ours, names are escaped (base/text.h), and the units of
 * events follow as "NAME=UNIT NAME=UNIT". */
#define PERF_TEXT_OUR_VERSION "prospect "
#define PERF_TEXT_UNITS	      "event units"

#endif
