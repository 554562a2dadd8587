/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/thread_facts.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "foreign/door.h"

enum { AUXV_LIMIT = 4096, STATUS_LIMIT = 8192 };

pid_t thread_facts_number(pid_t tid, const char *name)
{
	struct buf text = { 0 };
	const char *line = NULL;
	char path[64], start[32];
	long number = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	snprintf(start, sizeof(start), "\n%s:", name);
	if (file_read(path, STATUS_LIMIT, &text) == 0)
		line = strstr(buf_text(&text), start);
	if (line)
		number = strtol(line + strlen(start), NULL, 10);
	buf_done(&text);
	return (pid_t)number;
}

void thread_facts_comm(pid_t tid, char *ret_comm, size_t size)
{
	struct buf text = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)tid);
	/* The last newline belongs to the file; others belong to the name. */
	if (file_read(path, STATUS_LIMIT, &text) == 0 && text.size)
		snprintf(ret_comm, size, "%.*s", (int)text.size - 1, buf_text(&text));
	buf_done(&text);
}

/* The address of the path given to exec (AT_EXECFN, getauxval(3)); 0 if unknown. */
static uint64_t name_address(struct foreign *foreign, pid_t pid)
{
	struct buf text = { 0 };
	uint64_t address = 0;

	if (door_read_proc(foreign, pid, "auxv", AUXV_LIMIT, &text) == 0) {
		for (size_t at = 0; at + sizeof(Elf64_auxv_t) <= text.size;
		     at += sizeof(Elf64_auxv_t)) {
			Elf64_auxv_t entry;

			memcpy(&entry, text.bytes + at, sizeof(entry));
			if (entry.a_type == AT_EXECFN)
				address = entry.a_un.a_val;
		}
	}
	buf_done(&text);
	return address;
}

bool thread_facts_program(struct foreign *foreign, pid_t pid, char *ret_program, size_t size)
{
	uint64_t address = name_address(foreign, pid);
	char link[64];
	ssize_t got = 0;

	memset(ret_program, 0, size);
	/* The name is at the end of the stack, so the bytes after it may not be mapped. */
	for (size_t most = size - 1; address && got <= 0 && most > 0 && got != -ETIMEDOUT;
	     most /= 2)
		got = door_read_memory(foreign, pid, address, ret_program, most);
	if (got > 0 && *ret_program)
		return true;
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	got = readlink(link, ret_program, size - 1);
	if (got <= 0)
		snprintf(ret_program, size, "%s", THREAD_FACTS_NOT_KNOWN);
	return got > 0;
}
