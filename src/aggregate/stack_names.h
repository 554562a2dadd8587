/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks as their functions' names, root first and joined by ';'. Stacks with the same names count
 * as the same, whatever the positions within the functions.
 */
#ifndef AGGREGATE_STACK_NAMES_H
#define AGGREGATE_STACK_NAMES_H

#include <stdint.h>

#include "base/buf.h"
#include "model/profile.h"

struct labels;
struct stack_names;

/* Of a name; a longer one is shown up to here, then "...[60000 bytes, 0badcafe]": its length and a
 * hash of all of it. The longest names that compilers make for people are not half as long. */
enum { STACK_NAMES_MOST_BYTES = 4096 };

/* @profile is borrowed; its stacks are examined at the first question about one. */
struct stack_names *stack_names_new(const struct profile *profile);
void stack_names_free(struct stack_names *names); /* NULL is fine */

/* The stack that represents all stacks with the same names: the first of them. */
uint32_t stack_names_first(struct stack_names *names, uint32_t stack);

/* Appends "main;parse;lex", with names as in labels_name. Characters that end a name or a line
 * (';', control characters), and the backslash, are written as \xNN, so that the text can be
 * parsed. A cut stack begins with "[cut:REASON]"; "" for stack 0. */
void stack_names_text(const struct labels *labels, uint32_t stack, struct buf *buf);

#endif
