/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of perf script's text, and what export adds to its head so that import knows the text. */
#ifndef MODEL_PERF_TEXT_H
#define MODEL_PERF_TEXT_H

#define PERF_TEXT_KERNEL  "[kernel.kallsyms]"
#define PERF_TEXT_INLINED "inlined" /* in place of the file: the function was inlined */

/* In the head: the version of perf is ours; then names are escaped (base/escape.h), and the units
 * of events are told as "NAME=UNIT NAME=UNIT". */
#define PERF_TEXT_OUR_VERSION "prospect "
#define PERF_TEXT_UNITS	      "event units"

#endif
