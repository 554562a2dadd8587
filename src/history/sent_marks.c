/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history/sent_marks.h"

#include <stdio.h>

bool sent_marks_add(struct sent_marks *marks, uint64_t time_ns, const char *text)
{
	struct sent_mark *mark;

	if (marks->list.count >= SENT_MARKS_MAX)
		return false;
	mark = vec_push(&marks->list);
	*mark = (struct sent_mark){ .order = { .kind = RECORD_MARK, .time_ns = time_ns } };
	snprintf(mark->order.text, sizeof(mark->order.text), "%s", text);
	return true;
}

bool sent_marks_send(struct sent_marks *marks, const struct recorder *recorder)
{
	for (size_t i = 0; i < marks->list.count; i++) {
		struct sent_mark *mark = &marks->list.items[i];

		if (mark->recorder)
			continue;
		if (!recorder_tell(recorder, &mark->order))
			return false;
		mark->recorder = recorder->pid;
	}
	return true;
}

/* Removes at most @most marks of the recorder, the first ones. */
static void forget(struct sent_marks *marks, pid_t recorder, uint64_t most)
{
	size_t kept = 0;

	for (size_t i = 0; i < marks->list.count; i++) {
		if (marks->list.items[i].recorder == recorder && most)
			most--;
		else
			marks->list.items[kept++] = marks->list.items[i];
	}
	marks->list.count = kept;
}

void sent_marks_settle(struct sent_marks *marks, struct recorder *recorder)
{
	forget(marks, recorder->pid, recorder->state.marks - recorder->marks_settled);
	recorder->marks_settled = recorder->state.marks;
}

void sent_marks_end(struct sent_marks *marks, pid_t recorder)
{
	for (size_t i = 0; i < marks->list.count; i++) {
		if (marks->list.items[i].recorder == recorder)
			marks->list.items[i].recorder = 0;
	}
}
