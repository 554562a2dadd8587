/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>
#include <string.h>

#include "base/reader.h"
#include "sampling/off_cpu.h"

/* Reads a record whose head is followed by addresses. */
static bool read_with_addresses(struct reader *from, void *head, size_t head_size,
				const __u32 *count, size_t most)
{
	const void *bytes = reader_bytes(from, head_size);

	if (!bytes)
		return false;
	memcpy(head, bytes, head_size);
	if (*count > most)
		return false;
	bytes = reader_bytes(from, *count * sizeof(__u64));
	if (bytes)
		memcpy((char *)head + head_size, bytes, *count * sizeof(__u64));
	return bytes;
}

static bool read_times(struct reader *from, struct off_cpu_times_record *times)
{
	const void *bytes = reader_bytes(from, sizeof(*times));

	if (bytes)
		memcpy(times, bytes, sizeof(*times));
	return bytes;
}

bool off_cpu_event_read(const void *bytes, size_t size, union off_cpu_event *ret_event)
{
	struct reader kind = reader_make(bytes, size), from = kind;

	switch (reader_u32(&kind)) {
	case OFF_CPU_LEFT:
		return read_with_addresses(&from, &ret_event->left,
					   offsetof(struct off_cpu_left_record, addresses),
					   &ret_event->left.count, OFF_CPU_MAX_USER);
	case OFF_CPU_WOKE:
		return read_with_addresses(&from, &ret_event->woke,
					   offsetof(struct off_cpu_woke_record, addresses),
					   &ret_event->woke.count, OFF_CPU_MAX_KERNEL);
	case OFF_CPU_WAIT:
		return read_with_addresses(&from, &ret_event->wait,
					   offsetof(struct off_cpu_wait_record, addresses),
					   &ret_event->wait.count, OFF_CPU_MAX_KERNEL);
	case OFF_CPU_TIMES:
		return read_times(&from, &ret_event->times);
	default:
		return false;
	}
}
