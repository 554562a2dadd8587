/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JIT code, read from the memory of processes while they live. A process may hold its memory locked
 * for as long as a file system does not answer, which blocks every reader. Therefore foreign/door.h
 * reads it and gives up in time. A request there costs a hundred times a plain read, so pages are
 * kept for a while.
 */
#ifndef ATTRIBUTE_PROCESS_CODE_H
#define ATTRIBUTE_PROCESS_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct foreign;
struct process_code;

enum { PROCESS_CODE_MS = 100 };

/* @foreign is borrowed. NULL: memory is read directly, which may block. */
struct process_code *process_code_new(struct foreign *foreign);
void process_code_free(struct process_code *code); /* NULL is fine */

/* Reads @size bytes at @address of process @pid. True only if all of them could be read. */
bool process_code_read(struct process_code *code, int32_t pid, uint64_t address, void *to,
		       size_t size);
/* The number of processes whose memory could not be read in time. */
size_t process_code_late(const struct process_code *code); /* NULL: none */
/* Forgets all pages if PROCESS_CODE_MS have passed since it last did: code may change. */
void process_code_forget(struct process_code *code, uint64_t now_ns);

#endif
