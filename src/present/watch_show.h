/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A running watch for people and programs: a table each interval (drawn anew on a terminal, one
 * below the other elsewhere), curves, or a stream of CSV or JSON lines; and totals, histograms and
 * what it cost at the end.
 */
#ifndef PRESENT_WATCH_SHOW_H
#define PRESENT_WATCH_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "model/metric.h"
#include "model/watch_result.h"

struct watch_show;

enum watch_form {
	WATCH_FORM_TEXT,
	WATCH_FORM_CSV,	 /* one row per interval, target, key and metric */
	WATCH_FORM_JSON, /* JSON Lines: one object per interval, target and key */
};

struct watch_show_options {
	const struct metric_set *metrics; /* borrowed, as all below */
	enum watch_form form;
	bool plot; /* curves of the first metrics, in place of the table */
	FILE *out;
	FILE *notes; /* what is no row goes there where @out is for programs; NULL: nowhere */
	size_t lines, columns; /* of the terminal that @out is; 0: it is none */
	bool colour, ascii;    /* @ascii: no other characters */
};

/* Nothing is printed yet. */
struct watch_show *watch_show_new(const struct watch_show_options *options);
void watch_show_free(struct watch_show *show); /* NULL is fine */
DEFINE_CLEANUP(struct watch_show *, watch_show_free);

/* What pipeline/watch.h calls. Its functions return -EPIPE, -ENOSPC ... when @out takes no more. */
struct watch_view watch_show_view(struct watch_show *show);

#endif
