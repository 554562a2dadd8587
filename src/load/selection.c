/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/selection.h"

#include <errno.h>

#include "base/buf.h"
#include "base/cleanup.h"

/* If both moments can be compared without the profile, they must be in order. */
static int check_order(const struct selection_window *window, struct err *err)
{
	bool backwards = window->since.kind == MOMENT_BEFORE_END;

	if (!window->since_text || !window->until_text ||
	    window->since.kind != window->until.kind || window->since.kind == MOMENT_OF_DAY)
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

static double seconds_of(const struct profile *profile, uint64_t time_ns)
{
	uint64_t start_ns = profile->run.start_ns;

	return time_ns > start_ns ? (double)(time_ns - start_ns) / 1e9 : 0;
}

/* Appends "--since 10m is second 600.000" if that moment was given. */
static void tell_moment(const struct profile *profile, const char *option, const char *text,
			uint64_t time_ns, struct buf *buf)
{
	if (text)
		buf_printf(buf, "%s%s %s is second %.3f", buf->size ? ", " : "", option, text,
			   seconds_of(profile, time_ns));
}

int selection_window_explain(const struct selection_window *window, const struct profile *profile,
			     uint64_t end_ns, struct err *err)
{
	_cleanup_(buf_done) struct buf moments = { 0 };

	tell_moment(profile, "--since", window->since_text, window->from_ns, &moments);
	tell_moment(profile, "--until", window->until_text, window->to_ns, &moments);
	if (window->from_ns >= window->to_ns)
		return err_set(err, -ENODATA, "%s: --since must be before --until",
			       buf_text(&moments));
	return err_set(err, -ENODATA, "%s: no samples in that part of the recording (%.3f s long)",
		       buf_text(&moments), seconds_of(profile, end_ns));
}

int selection_window_find(struct selection_window *window, const struct profile *profile,
			  uint64_t end_ns, struct err *err)
{
	int rc = 0;

	window->from_ns = 0;
	window->to_ns = UINT64_MAX;
	if (window->since_text)
		rc = moment_ns(&window->since, profile, end_ns, &window->from_ns, err);
	if (rc == 0 && window->until_text)
		rc = moment_ns(&window->until, profile, end_ns, &window->to_ns, err);
	if (rc == 0 && window->from_ns >= window->to_ns)
		rc = selection_window_explain(window, profile, end_ns, err);
	return rc;
}

bool selection_window_is_part(const struct selection_window *window)
{
	return window->since_text || window->until_text;
}
