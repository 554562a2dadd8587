/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One CPU's perf ring buffer: perf_event_open(2), "MMAP layout". */
#ifndef PERF_RING_H
#define PERF_RING_H

#include <stddef.h>
#include <stdint.h>

struct ring {
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	const uint8_t *data;
	size_t size;	  /* of the data, a power of two */
	uint8_t *wrapped; /* room for one record that wraps around the end */
};

/* Maps @bytes of data (a power of two, whole pages) for the event @fd. Returns a negative errno:
 * -EPERM if that exceeds the mlock limit. */
int ring_map(struct ring *ring, int fd, size_t bytes);
void ring_unmap(struct ring *ring);

/* Calls @take for every record written so far, oldest first, then frees their room in the ring. The
 * bytes are 8-byte aligned and borrowed for the call. Returns how many bytes were waiting. */
size_t ring_read(struct ring *ring, void (*take)(void *context, const void *bytes, size_t size),
		 void *context);

#endif
