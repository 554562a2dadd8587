/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks as their functions' names, root first and joined by ';'. Stacks of the same names are the
 * same, wherever in its functions each of them was.
 */
#ifndef AGGREGATE_STACK_NAMES_H
#define AGGREGATE_STACK_NAMES_H

#include <stdint.h>

#include "base/buf.h"
#include "model/profile.h"

struct labels;
struct stack_names;

/* Of a name; of a longer one this much is shown, then "...[60000 bytes, 0badcafe]": its length and
 * a hash of all of it. The longest names that compilers make for people are not half as long. */
enum { STACK_NAMES_MOST_BYTES = 4096 };

/* @profile is borrowed; its stacks are looked at when the first of them is asked for. */
struct stack_names *stack_names_new(const struct profile *profile);
void stack_names_free(struct stack_names *names); /* NULL is fine */

/* The one stack that stands for all of the same names: the first of them. */
uint32_t stack_names_first(struct stack_names *names, uint32_t stack);

/* Appends "main;parse;lex", names as labels_name has them. What would end a name or a line in it
 * (';', control characters), and the backslash, are written as \xNN, so that the text can be taken
 * apart again. A stack that is not complete begins with "[cut:REASON]"; "" for stack 0. */
void stack_names_text(const struct labels *labels, uint32_t stack, struct buf *buf);

#endif
