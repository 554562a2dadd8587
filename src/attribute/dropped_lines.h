/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines of JIT code that did not fit into a profile. */
#ifndef ATTRIBUTE_DROPPED_LINES_H
#define ATTRIBUTE_DROPPED_LINES_H

struct jit;
struct profile;

/* Adds their number, if any, to run.not_visible; call when everything is resolved. @jit may be
 * NULL. */
void dropped_lines_tell(struct profile *profile, const struct jit *jit);

#endif
