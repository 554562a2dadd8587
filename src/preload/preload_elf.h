/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Whether the loader will put a library into a program, by what its file says: ld.so(8). */
#ifndef PRELOAD_PRELOAD_ELF_H
#define PRELOAD_PRELOAD_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "preload/preload_wire.h"

#if defined(__aarch64__)
#define PRELOAD_MACHINE EM_AARCH64
#else
#define PRELOAD_MACHINE EM_X86_64
#endif

enum {
	PRELOAD_ELF_BYTES = 2048
}; /* of the beginning of a file: its program headers usually lie there */

/* By the @size first bytes of a file, aligned as an Elf64_Ehdr. NONE also for what is no ELF file. */
static inline enum preload_refusal preload_judge_elf(const void *bytes, size_t size)
{
	const Elf64_Ehdr *head = bytes;
	const unsigned char *ident = head->e_ident;

	if (size < sizeof(*head) || ident[EI_MAG0] != ELFMAG0 || ident[EI_MAG1] != ELFMAG1 ||
	    ident[EI_MAG2] != ELFMAG2 || ident[EI_MAG3] != ELFMAG3)
		return PRELOAD_REFUSAL_NONE;
	if (ident[EI_CLASS] != ELFCLASS64 || head->e_machine != PRELOAD_MACHINE)
		return PRELOAD_REFUSAL_MACHINE;
	if (head->e_phoff % sizeof(Elf64_Addr) != 0)
		return PRELOAD_REFUSAL_NONE; /* not known */
	for (size_t i = 0, at = head->e_phoff; i < head->e_phnum; i++, at += sizeof(Elf64_Phdr)) {
		if (at > size || size - at < sizeof(Elf64_Phdr))
			return PRELOAD_REFUSAL_NONE; /* likewise */
		if (((const Elf64_Phdr *)((const char *)bytes + at))->p_type == PT_INTERP)
			return PRELOAD_REFUSAL_NONE;
	}
	return PRELOAD_REFUSAL_STATIC;
}

/* True if a process with these effective ids gains others by executing @file. */
static inline bool preload_gains_ids(const struct stat *file, uid_t uid, gid_t gid)
{
	return (file->st_mode & S_ISUID && file->st_uid != uid) ||
	       ((file->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
		file->st_gid != gid);
}

#endif
