/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attribute/process_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hashidx.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "foreign/door.h"

enum {
	PAGE = 4096, /* no system has smaller pages: a page is readable as a whole or not at all */
	PAGES = 64,  /* of all processes: 256 KiB */
};

struct page {
	int32_t pid; /* 0: unused */
	uint64_t start;
	bool readable;
	uint8_t bytes[PAGE];
};

struct process_code {
	struct foreign *foreign;
	uint64_t forgot_ns; /* when pages were last forgotten */
	VEC(int32_t) late;  /* processes whose memory could not be read in time */
	struct page pages[PAGES];
};

struct process_code *process_code_new(struct foreign *foreign)
{
	struct process_code *code = xcalloc(1, sizeof(*code));

	code->foreign = foreign;
	return code;
}

void process_code_free(struct process_code *code)
{
	if (code)
		vec_free(&code->late);
	free(code);
}

static void add_late(struct process_code *code, int32_t pid)
{
	for (size_t i = 0; i < code->late.count; i++) {
		if (code->late.items[i] == pid)
			return;
	}
	*vec_push(&code->late) = pid;
}

size_t process_code_late(const struct process_code *code)
{
	return code ? code->late.count : 0;
}

static bool read_page(struct process_code *code, int32_t pid, uint64_t start, void *to)
{
	ssize_t got = door_read_memory(code->foreign, pid, start, to, PAGE);

	if (got == -ETIMEDOUT)
		add_late(code, pid);
	return got == PAGE;
}

static const struct page *find_page(struct process_code *code, int32_t pid, uint64_t start)
{
	uint64_t hash = hash_combine(hash_u64(start), (uint32_t)pid);
	struct page *page = &code->pages[hash % PAGES];

	if (page->pid != pid || page->start != start) {
		page->pid = pid;
		page->start = start;
		page->readable = read_page(code, pid, start, page->bytes);
	}
	return page;
}

bool process_code_read(struct process_code *code, int32_t pid, uint64_t address, void *to,
		       size_t size)
{
	uint8_t *at = to;

	while (size > 0) {
		size_t skip = address % PAGE;
		size_t here = size < PAGE - skip ? size : PAGE - skip;
		const struct page *page = find_page(code, pid, address - skip);

		if (!page->readable)
			return false;
		memcpy(at, page->bytes + skip, here);
		at += here;
		address += here;
		size -= here;
	}
	return true;
}

void process_code_forget(struct process_code *code, uint64_t now_ns)
{
	if (now_ns - code->forgot_ns < PROCESS_CODE_MS * NS_PER_MS)
		return;
	code->forgot_ns = now_ns;
	for (size_t i = 0; i < PAGES; i++)
		code->pages[i].pid = 0;
}
