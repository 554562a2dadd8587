/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readable C++ names made short, for people: std::string instead of the template it stands for,
 * template arguments that everybody leaves to their defaults left out, and what is nested too
 * deeply as "<...>". Different functions may get the same short name.
 */
#ifndef NAMES_SPELLING_SHORT_NAMES_H
#define NAMES_SPELLING_SHORT_NAMES_H

#include "base/buf.h"

/* Appends the short form of a readable name; the name as it is where its brackets do not match. */
void short_names_add(const char *name, struct buf *text);

#endif
