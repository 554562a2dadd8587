/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect.h in a profiled program. */
#include "preload/preload.h"
#include "preload/prospect.h"

uint32_t preload_stopped; /* by the program; a child after fork begins as its parent was */

PRELOAD_EXPORT void prospect_start(void)
{
	__atomic_store_n(&preload_stopped, 0, __ATOMIC_RELEASE);
}

PRELOAD_EXPORT void prospect_stop(void)
{
	__atomic_store_n(&preload_stopped, 1, __ATOMIC_RELEASE);
}

PRELOAD_EXPORT void prospect_mark(const char *text)
{
	struct preload_state *state = preload_own();
	size_t text_size = text ? raw_length(text) + 1 : 1, size;
	struct preload_mark *record;
	struct preload_slot *slot;

	if (!state || text_size == 1 || text_size > PRELOAD_MOST_MARK + 1)
		return;
	size = (sizeof(*record) + text_size + 7) / 8 * 8;
	record = preload_begin(state, size, &slot);
	if (!record) {
		preload_lose_record();
		return;
	}
	*record = (struct preload_mark){
		.header = { .type = PRELOAD_RECORD_MARK, .size = (uint16_t)size },
		.pid = state->pid,
		.time_ns = preload_now(),
	};
	record->text[size - sizeof(*record) - 1] = '\0';
	raw_copy(record->text, text, text_size);
	preload_end(slot, size);
}
