/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/selection.h"

#include <errno.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "present/figures.h"

/* If both moments can be compared without the profile, they must be in order. */
static int check_order(const struct selection_window *window, struct err *err)
{
	bool backwards = window->since.kind == MOMENT_BEFORE_END;

	if (!window->since_text || !window->until_text ||
	    window->since.kind != window->until.kind || window->since.kind == MOMENT_OF_DAY ||
	    window->since.kind == MOMENT_SPAN)
		return 0;
	if (backwards ? window->since.value > window->until.value
		      : window->since.value < window->until.value)
		return 0;
	return err_set(err, -EINVAL, "--since %s must be before --until %s", window->since_text,
		       window->until_text);
}

int selection_window_parse(struct selection_window *window, const struct selection *selection,
			   struct err *err)
{
	window->since_text = selection->since;
	window->until_text = selection->until;
	if (selection->since && moment_parse(selection->since, &window->since, err) < 0)
		return err_prefix(err, -EINVAL, "--since");
	if (selection->until && moment_parse(selection->until, &window->until, err) < 0)
		return err_prefix(err, -EINVAL, "--until");
	return check_order(window, err);
}

static double seconds_of(const struct moment_base *base, uint64_t time_ns)
{
	return time_ns > base->start_ns ? (double)(time_ns - base->start_ns) / NS_PER_S : 0;
}

/* Of a history, local time. It may be before the start: modulo 2^64. */
static void add_real(const struct moment_base *base, uint64_t time_ns, struct buf *buf)
{
	figures_time(buf, base->start_real_ns + (time_ns - base->start_ns));
}

/* Appends "--since 10m is second 600.000" if that moment was given. */
static void tell_moment(const struct moment_base *base, const char *option, const char *text,
			uint64_t time_ns, struct buf *buf)
{
	if (!text)
		return;
	buf_printf(buf, "%s%s %s is ", buf->size ? ", " : "", option, text);
	if (base->now_ns)
		add_real(base, time_ns, buf);
	else
		buf_printf(buf, "second %.3f", seconds_of(base, time_ns));
}

int selection_window_explain(const struct selection_window *window, const struct moment_base *base,
			     struct err *err)
{
	_cleanup_(buf_done) struct buf text = { 0 };

	tell_moment(base, "--since", window->since_text, window->from_ns, &text);
	tell_moment(base, "--until", window->until_text, window->to_ns, &text);
	if (window->from_ns >= window->to_ns)
		return err_set(err, -ENODATA, "%s: --since must be before --until",
			       buf_text(&text));
	if (base->now_ns && window->from_ns >= base->end_ns) {
		buf_add_str(&text, ": the history ends before, at ");
		add_real(base, base->end_ns, &text);
	} else if (base->now_ns && window->to_ns <= base->start_ns) {
		buf_add_str(&text, ": the history begins later, at ");
		add_real(base, base->start_ns, &text);
	} else if (base->now_ns) {
		buf_add_str(&text, ": no samples in that time");
	} else {
		buf_printf(&text, ": no samples in that part of the recording (%.3f s long)",
			   seconds_of(base, base->end_ns));
	}
	return err_set(err, -ENODATA, "%s", buf_text(&text));
}

static uint64_t before(uint64_t time_ns, uint64_t span_ns)
{
	return time_ns > span_ns ? time_ns - span_ns : 0;
}

static void move(struct selection_window *window, const struct moment_base *base)
{
	if (!window->earlier_ns)
		return;
	if (!window->until_text)
		window->to_ns = base->now_ns ? base->now_ns : base->end_ns;
	window->from_ns = before(window->from_ns, window->earlier_ns);
	window->to_ns = before(window->to_ns, window->earlier_ns);
}

int selection_window_find(struct selection_window *window, const struct moment_base *base,
			  struct err *err)
{
	int rc = 0;

	window->from_ns = 0;
	window->to_ns = UINT64_MAX;
	if (window->since_text)
		rc = moment_ns(&window->since, base, &window->from_ns, err);
	if (rc == 0 && window->until_text)
		rc = moment_ns(&window->until, base, &window->to_ns, err);
	if (rc == 0)
		move(window, base);
	if (rc == 0 && window->from_ns >= window->to_ns)
		rc = selection_window_explain(window, base, err);
	return rc;
}

bool selection_window_is_part(const struct selection_window *window)
{
	return window->since_text || window->until_text || window->earlier_ns;
}
