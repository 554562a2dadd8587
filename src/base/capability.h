/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The capabilities of this process: capabilities(7). */
#ifndef BASE_CAPABILITY_H
#define BASE_CAPABILITY_H

#include <stdbool.h>

/* True if CAP_... @number is in the effective set. */
bool capability_held(unsigned number);
/* Takes CAP_... @number out of the effective set of this thread. It stays permitted. True if it
 * was in the set: then call capability_raise afterwards. */
bool capability_lower(unsigned number);
/* Puts CAP_... @number back into the set. This cannot fail while it is permitted (capset(2)). */
void capability_raise(unsigned number);

#endif
