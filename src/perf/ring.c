/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/xalloc.h"

enum { MAX_RECORD_BYTES = 65536 }; /* perf_event_header.size is 16 bits */

int ring_map(struct ring *ring, int fd, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return -errno;
	ring->page = memory;
	ring->data = (const uint8_t *)memory + page;
	ring->size = bytes;
	ring->wrapped = xmalloc(MAX_RECORD_BYTES);
	return 0;
}

void ring_unmap(struct ring *ring)
{
	if (ring->page)
		munmap(ring->page, ring->size + (size_t)sysconf(_SC_PAGESIZE));
	free(ring->wrapped);
	*ring = (struct ring){ 0 };
}

/* The record at @tail, copied if it wraps around the end of the buffer. */
static const void *contiguous(struct ring *ring, uint64_t tail, size_t size)
{
	size_t at = tail & (ring->size - 1);
	size_t first = ring->size - at;

	if (size <= first)
		return ring->data + at;
	memcpy(ring->wrapped, ring->data + at, first);
	memcpy(ring->wrapped + first, ring->data, size - first);
	return ring->wrapped;
}

size_t ring_read(struct ring *ring, void (*take)(void *context, const void *bytes, size_t size),
		 void *context)
{
	/* Pairs with the kernel's barrier between writing records and updating data_head. */
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	size_t waiting = (size_t)(head - tail);

	while (tail < head) {
		struct perf_event_header header;

		/* Records and the buffer are multiples of 8 bytes, so a header never wraps. */
		memcpy(&header, ring->data + (tail & (ring->size - 1)), sizeof(header));
		if (header.size < sizeof(header) || header.size > head - tail) {
			tail = head; /* not written by the kernel; skip what is left */
			break;
		}
		take(context, contiguous(ring, tail, header.size), header.size);
		tail += header.size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
	return waiting;
}
