/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/own_mapping.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "perf/ring.h"

/* Mappings of this thread, of any kind. */
static int open_event(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_DUMMY,
					.exclude_kernel = 1,
					.exclude_hv = 1,
					.mmap = 1,
					.mmap_data = 1,
					.mmap2 = 1 };

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

struct wanted_record {
	uint64_t start;
	bool found;
	struct perf_mmap map;
};

static void take(void *context, const void *bytes, size_t size)
{
	const struct perf_format plain = { 0 };
	struct wanted_record *wanted = context;
	struct perf_record record;

	if (perf_record_read(bytes, size, &plain, &record) < 0 ||
	    record.type != PERF_RECORD_MMAP2 || record.mmap.start != wanted->start)
		return;
	wanted->map = record.mmap;
	wanted->map.path = NULL;
	wanted->found = true;
}

bool own_mapping_record(int fd, struct perf_mmap *ret_map)
{
	_cleanup_close_ int event = open_event();
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct wanted_record wanted = { 0 };
	struct ring ring = { 0 };
	void *page;

	if (event < 0 || ring_map(&ring, event, bytes) < 0)
		return false;
	page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	wanted.start = (uint64_t)(uintptr_t)page;
	ring_read(&ring, take, &wanted);
	if (page != MAP_FAILED)
		munmap(page, 1);
	ring_unmap(&ring);
	*ret_map = wanted.map;
	return wanted.found;
}
