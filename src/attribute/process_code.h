/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that processes have made and no file has, read from their memory while they live. A process
 * may hold its memory locked for as long as a file system does not answer, and whoever reads that
 * memory waits, too: the reading is done by foreign/door.h, which gives up in time. Asking there
 * costs a hundred times what reading does, so pages are kept for a while.
 */
#ifndef ATTRIBUTE_PROCESS_CODE_H
#define ATTRIBUTE_PROCESS_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct foreign;
struct process_code;

enum { PROCESS_CODE_MS = 100 };

/* @foreign is borrowed; NULL: memory is read here, and may be waited for. */
struct process_code *process_code_new(struct foreign *foreign);
void process_code_free(struct process_code *code); /* NULL is fine */

/* @size bytes at @address of process @pid; true only when all of them could be read. */
bool process_code_read(struct process_code *code, int32_t pid, uint64_t address, void *to,
		       size_t size);
/* How many processes' memory was not to be had in time. */
size_t process_code_late(const struct process_code *code); /* NULL: none */
/* Code may change: forgets all pages when PROCESS_CODE_MS have passed since the last time. */
void process_code_forget(struct process_code *code, uint64_t now_ns);

#endif
