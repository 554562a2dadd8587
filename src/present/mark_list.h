/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The marks of a profile or of the part of it that is shown: what a person noted meanwhile. */
#ifndef PRESENT_MARK_LIST_H
#define PRESENT_MARK_LIST_H

#include "base/buf.h"
#include "present/view.h"

/* Appends, for one line, the last marks in order of time, each with its local time, and how many
 * were before them: "before-deploy 14:02:11, after-deploy 14:05:40 (3 earlier)". Dates are shown
 * where marks are of several days, and seconds since the start where the recording does not say
 * when it was. Safe for terminals. Nothing if there are none. */
void mark_list_add(const struct view *view, struct buf *buf);
/* Appends "marks":[{text, time_s, utc}] with all of them; nothing if there are none. */
void mark_list_add_json(const struct view *view, struct buf *json);

#endif
