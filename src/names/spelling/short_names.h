/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shortens readable C++ names for people: std::string instead of the template it stands for,
 * without template arguments that usually have their defaults, and "<...>" for deep nesting.
 * Different functions may get the same short name.
 */
#ifndef NAMES_SPELLING_SHORT_NAMES_H
#define NAMES_SPELLING_SHORT_NAMES_H

#include "base/buf.h"

/* Appends the short form of a readable name, or the name unchanged if its brackets do not match. */
void short_names_add(const char *name, struct buf *text);

#endif
