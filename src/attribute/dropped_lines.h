/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines of code made at run time for which a profile has no room. */
#ifndef ATTRIBUTE_DROPPED_LINES_H
#define ATTRIBUTE_DROPPED_LINES_H

struct jit;
struct profile;

/* Adds to what is not visible of the profile how many there were, if any, when all of it was
 * resolved. @jit: NULL is fine. */
void dropped_lines_tell(struct profile *profile, const struct jit *jit);

#endif
