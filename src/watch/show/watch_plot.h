/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Curves over time, drawn with letters or braille dots. */
#ifndef WATCH_SHOW_WATCH_PLOT_H
#define WATCH_SHOW_WATCH_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/cleanup.h"

struct watch_plot;

enum {
	WATCH_PLOT_SERIES = 8,	  /* drawn at a time: those with the greatest values */
	WATCH_PLOT_POINTS = 4096, /* kept of each */
};

struct watch_plot *watch_plot_new(void);
void watch_plot_free(struct watch_plot *plot); /* NULL is fine */
DEFINE_CLEANUP(struct watch_plot *, watch_plot_free);

/* Starts a new step, @seconds since the beginning; series without a value there have a gap. */
void watch_plot_step(struct watch_plot *plot, double seconds);
/* Sets the value of series @key of chart @chart (from 0) at the current step. @name is copied if
 * the series is new. NaN is a gap. */
void watch_plot_set(struct watch_plot *plot, size_t chart, size_t key, const char *name,
		    double value);

struct watch_plot_look {
	size_t columns, lines; /* of the chart with its axes and legend; at least 20 and 5 */
	bool colour, ascii;
	const char *title;
	/* Appends a label of the vertical axis. */
	void (*value)(void *context, double value, struct buf *text);
	void *context;
};

/* Appends the chart: the steps that fit, the last at the right. */
void watch_plot_draw(const struct watch_plot *plot, size_t chart,
		     const struct watch_plot_look *look, struct buf *text);

#endif
