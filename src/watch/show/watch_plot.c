/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/show/watch_plot.h"

#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "present/safe.h"

enum {
	AXIS_WIDTH = 10,
	LEAST_COLUMNS = 20,
	LEAST_LINES = 5,
	MOST_COLUMNS = 500,
	MOST_LINES = 200,
	BESIDE_LINES = 3, /* title, horizontal axis, legend */
};

struct series {
	size_t chart, key;
	char *name;
	VEC(double) values; /* one per step */
};

struct watch_plot {
	VEC(double) steps; /* seconds */
	VEC(struct series) series;
};

struct watch_plot *watch_plot_new(void)
{
	return xcalloc(1, sizeof(struct watch_plot));
}

void watch_plot_free(struct watch_plot *plot)
{
	if (!plot)
		return;
	for (size_t i = 0; i < plot->series.count; i++) {
		free(plot->series.items[i].name);
		vec_free(&plot->series.items[i].values);
	}
	vec_free(&plot->series);
	vec_free(&plot->steps);
	free(plot);
}

/* ---- data ---- */

static void drop_front(double *items, size_t *count, size_t dropped)
{
	dropped = dropped < *count ? dropped : *count;
	memmove(items, items + dropped, (*count - dropped) * sizeof(*items));
	*count -= dropped;
}

/* Drops the older half. */
static void make_room(struct watch_plot *plot)
{
	drop_front(plot->steps.items, &plot->steps.count, WATCH_PLOT_POINTS / 2);
	for (size_t i = 0; i < plot->series.count; i++)
		if (plot->series.items[i].values.count)
			drop_front(plot->series.items[i].values.items,
				   &plot->series.items[i].values.count, WATCH_PLOT_POINTS / 2);
}

void watch_plot_step(struct watch_plot *plot, double seconds)
{
	if (plot->steps.count == WATCH_PLOT_POINTS)
		make_room(plot);
	*vec_push(&plot->steps) = seconds;
}

static struct series *find_series(struct watch_plot *plot, size_t chart, size_t key,
				  const char *name)
{
	struct series *made;

	for (size_t i = 0; i < plot->series.count; i++) {
		struct series *series = &plot->series.items[i];

		if (series->chart == chart && series->key == key)
			return series;
	}
	made = vec_push(&plot->series);
	*made = (struct series){ .chart = chart, .key = key, .name = xstrdup(name) };
	return made;
}

void watch_plot_set(struct watch_plot *plot, size_t chart, size_t key, const char *name,
		    double value)
{
	struct series *series = find_series(plot, chart, key, name);

	while (series->values.count < plot->steps.count)
		*vec_push(&series->values) = NAN;
	if (series->values.count)
		series->values.items[series->values.count - 1] = value;
}

/* ---- drawing ---- */

struct cell {
	uint8_t dots;	/* of a braille character, with Unicode's bits */
	uint8_t series; /* from 1; 0: empty */
};

/* A chart being drawn. Curves consist of dots: a cell has one, or 2 x 4. */
struct canvas {
	const struct watch_plot *plot;
	const struct watch_plot_look *look;
	const struct series *series[WATCH_PLOT_SERIES];
	size_t series_count, left_out;
	size_t columns, lines; /* cells */
	size_t across, down;   /* dots per cell */
	struct cell *cells;
	size_t first; /* the step at the left */
	double most;
	bool letters;
};

static double value_at(const struct series *series, size_t step)
{
	return step < series->values.count ? series->values.items[step] : NAN;
}

static double greatest(const struct canvas *canvas, const struct series *series)
{
	double most = 0;

	for (size_t i = canvas->first; i < canvas->plot->steps.count; i++)
		most = fmax(most, value_at(series, i));
	return most;
}

/* Chooses the series with the greatest values, in order of appearance. */
static void choose_series(struct canvas *canvas, size_t chart)
{
	const struct watch_plot *plot = canvas->plot;

	for (size_t i = 0; i < plot->series.count; i++) {
		const struct series *series = &plot->series.items[i];
		size_t least = 0;

		if (series->chart != chart)
			continue;
		if (canvas->series_count < WATCH_PLOT_SERIES) {
			canvas->series[canvas->series_count++] = series;
			continue;
		}
		canvas->left_out++;
		for (size_t at = 1; at < WATCH_PLOT_SERIES; at++)
			if (greatest(canvas, canvas->series[at]) <
			    greatest(canvas, canvas->series[least]))
				least = at;
		if (greatest(canvas, series) > greatest(canvas, canvas->series[least]))
			canvas->series[least] = series;
	}
	for (size_t i = 0; i < canvas->series_count; i++)
		canvas->most = fmax(canvas->most, greatest(canvas, canvas->series[i]));
}

/* @x, @y: a dot, counted from the left and from the bottom. */
static void set_dot(struct canvas *canvas, size_t x, size_t y, size_t series)
{
	static const uint8_t dots[2][4] = { { 0x40, 0x04, 0x02, 0x01 },
					    { 0x80, 0x20, 0x10, 0x08 } };
	size_t column = x / canvas->across, line = y / canvas->down;
	struct cell *cell;

	if (column >= canvas->columns || line >= canvas->lines)
		return;
	cell = &canvas->cells[(canvas->lines - 1 - line) * canvas->columns + column];
	cell->dots |= dots[x % canvas->across][y % canvas->down];
	cell->series = (uint8_t)(series + 1);
}

/* Draws a straight line between two dots. */
static void draw_line(struct canvas *canvas, double x0, double y0, double x1, double y1,
		      size_t series)
{
	long steps = lround(fmax(1, ceil(fmax(fabs(x1 - x0), fabs(y1 - y0)))));

	for (long i = 0; i <= steps; i++) {
		double part = (double)i / (double)steps;

		set_dot(canvas, (size_t)lround(x0 + (x1 - x0) * part),
			(size_t)lround(y0 + (y1 - y0) * part), series);
	}
}

static void draw_series(struct canvas *canvas, size_t index)
{
	const struct series *series = canvas->series[index];
	size_t count = canvas->plot->steps.count - canvas->first;
	double right = (double)(canvas->columns * canvas->across - 1);
	double top = (double)(canvas->lines * canvas->down - 1);
	double last_x = NAN, last_y = NAN;

	for (size_t i = 0; i < count; i++) {
		double value = value_at(series, canvas->first + i);
		double x = count > 1 ? right * (double)i / (double)(count - 1) : 0;
		double y = canvas->most > 0 ? top * value / canvas->most : 0;

		if (isnan(value)) {
			last_x = NAN;
			continue;
		}
		draw_line(canvas, isnan(last_x) ? x : last_x, isnan(last_x) ? y : last_y, x, y,
			  index);
		last_x = x;
		last_y = y;
	}
}

/* ---- text ---- */

static void add_colour(const struct canvas *canvas, size_t series, struct buf *text)
{
	/* red, green, yellow, blue, magenta, cyan, white, grey */
	static const uint8_t colours[WATCH_PLOT_SERIES] = { 31, 32, 33, 34, 35, 36, 37, 90 };

	if (canvas->look->colour)
		buf_printf(text, "\033[%um", colours[series]);
}

static void end_colour(const struct canvas *canvas, struct buf *text)
{
	buf_add_str(text, canvas->look->colour ? "\033[0m" : "");
}

static void add_cell(const struct canvas *canvas, const struct cell *cell, struct buf *text)
{
	const char braille[] = { (char)0xe2, (char)(0xa0 | cell->dots >> 6),
				 (char)(0x80 | (cell->dots & 0x3f)) };

	if (!cell->series) {
		buf_add_char(text, ' ');
		return;
	}
	add_colour(canvas, cell->series - 1U, text);
	if (canvas->letters)
		buf_add_char(text, (char)('a' + cell->series - 1));
	else
		buf_add(text, braille, sizeof(braille));
	end_colour(canvas, text);
}

static void add_axis(const struct canvas *canvas, size_t line, struct buf *text)
{
	struct buf value = { 0 };
	size_t width;

	if (line == 0)
		canvas->look->value(canvas->look->context, canvas->most, &value);
	else if (line == canvas->lines - 1)
		canvas->look->value(canvas->look->context, 0, &value);
	width = safe_width(buf_text(&value));
	buf_printf(text, "%*s%s %s", width < AXIS_WIDTH ? (int)(AXIS_WIDTH - width) : 0, "",
		   buf_text(&value), canvas->look->ascii ? "|" : "│");
	buf_done(&value);
}

static void add_times(const struct canvas *canvas, struct buf *text)
{
	const struct watch_plot *plot = canvas->plot;
	double from = plot->steps.count ? plot->steps.items[canvas->first] : 0;
	double to = plot->steps.count ? plot->steps.items[plot->steps.count - 1] : 0;
	struct buf end = { 0 };

	buf_printf(&end, "%.1f s", to);
	buf_printf(text, "%*s%-*.1f%s\n", AXIS_WIDTH + 2, "", (int)(canvas->columns - end.size),
		   from, buf_text(&end));
	buf_done(&end);
}

static void add_legend(const struct canvas *canvas, struct buf *text)
{
	size_t room = canvas->look->columns;

	for (size_t i = 0; i < canvas->series_count; i++) {
		struct buf name = { 0 };
		size_t wanted;

		safe_text_cut(&name, canvas->series[i]->name, canvas->look->columns / 2);
		wanted = safe_width(buf_text(&name)) + 4;
		if (i && wanted > room) {
			buf_printf(text, "  +%zu", canvas->series_count - i + canvas->left_out);
			buf_done(&name);
			break;
		}
		room -= wanted < room ? wanted : room;
		add_colour(canvas, i, text);
		buf_printf(text, "%s%c ", i ? "  " : "", canvas->letters ? (char)('a' + i) : '-');
		end_colour(canvas, text);
		buf_add_str(text, buf_text(&name));
		buf_done(&name);
	}
	buf_add_char(text, '\n');
}

static void trim(struct buf *text)
{
	while (text->size && text->bytes[text->size - 1] == ' ')
		text->size--;
}

static size_t within(size_t value, size_t least, size_t most)
{
	return value < least ? least : value > most ? most : value;
}

static void lay_out(struct canvas *canvas)
{
	const struct watch_plot_look *look = canvas->look;
	size_t columns = within(look->columns, LEAST_COLUMNS, MOST_COLUMNS);
	size_t lines = within(look->lines, LEAST_LINES, MOST_LINES), steps;

	canvas->columns = columns - AXIS_WIDTH - 2;
	canvas->lines = lines - BESIDE_LINES;
	canvas->across = 2;
	steps = canvas->columns * canvas->across;
	if (canvas->plot->steps.count > steps)
		canvas->first = canvas->plot->steps.count - steps;
}

void watch_plot_draw(const struct watch_plot *plot, size_t chart,
		     const struct watch_plot_look *look, struct buf *text)
{
	struct canvas canvas = { .plot = plot, .look = look };

	lay_out(&canvas);
	choose_series(&canvas, chart);
	/* Without colours, only letters distinguish curves. */
	canvas.letters = look->ascii || (!look->colour && canvas.series_count > 1);
	canvas.across = canvas.letters ? 1 : 2;
	canvas.down = canvas.letters ? 1 : 4;
	canvas.cells = xcalloc(canvas.columns * canvas.lines, sizeof(*canvas.cells));
	for (size_t i = 0; i < canvas.series_count; i++)
		draw_series(&canvas, i);
	buf_printf(text, "%s\n", look->title);
	for (size_t line = 0; line < canvas.lines; line++) {
		add_axis(&canvas, line, text);
		for (size_t i = 0; i < canvas.columns; i++)
			add_cell(&canvas, &canvas.cells[line * canvas.columns + i], text);
		trim(text);
		buf_add_char(text, '\n');
	}
	add_times(&canvas, text);
	add_legend(&canvas, text);
	free(canvas.cells);
}
