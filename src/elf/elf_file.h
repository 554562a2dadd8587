/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The outside of an ELF file (executable or shared object, 32 or 64 bits, either byte order):
 * program headers, build id, sections and their bytes. Everything is read with pread, never mapped,
 * so that a file which shrinks meanwhile is an error and not a signal. Files are hostile until
 * proven otherwise: every size is checked, and contents are parsed through base/reader.h.
 */
#ifndef ELF_ELF_FILE_H
#define ELF_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/reader.h"
#include "base/vec.h"
#include "model/profile.h"

struct elf_file;

struct elf_build_id {
	uint8_t bytes[BUILD_ID_MAX];
	uint8_t size; /* 0: the file has none */
};

/* PT_LOAD. */
struct elf_segment {
	uint64_t offset, size; /* in the file */
	uint64_t address;
	bool executable;
};

struct elf_segments {
	VEC(struct elf_segment) list;
};

/* PT_TLS: what each thread has of the file's own variables. */
struct elf_tls {
	uint64_t address, size; /* in memory */
	uint64_t alignment;
};

struct elf_section {
	const char *name; /* borrowed from the file; "" when it has none */
	uint32_t type;	  /* SHT_ */
	uint32_t link, info;
	uint64_t flags; /* SHF_ */
	uint64_t address, offset, size;
	uint64_t entry_size;
};

/* Reads the headers and the build id. @fd is borrowed for the file's life. -ENOEXEC: not an ELF
 * executable or shared object. */
int elf_file_open(int fd, struct elf_file **ret_file, struct err *err);
/* The same of any type of ELF file: split debug information and kernel modules come in relocatable
 * ones. Nothing says where the parts of these will be: elf_file_read_sections places those that are
 * loaded one behind the other, the same way each time, and these are their virtual addresses. */
int elf_file_open_any(int fd, struct elf_file **ret_file, struct err *err);
/* elf_file_open for an image in memory, borrowed for the file's life. */
int elf_file_open_memory(const void *bytes, size_t size, struct elf_file **ret_file,
			 struct err *err);
void elf_file_free(struct elf_file *file); /* NULL is fine */
DEFINE_CLEANUP(struct elf_file *, elf_file_free);

/* What it was opened from, borrowed; -1: memory. */
int elf_file_descriptor(const struct elf_file *file);
uint16_t elf_file_machine(const struct elf_file *file); /* EM_ */
bool elf_file_is_relocatable(const struct elf_file *file);
bool elf_file_is_64(const struct elf_file *file);
/* Where it starts to run, an ELF virtual address; 0: nowhere. */
uint64_t elf_file_entry(const struct elf_file *file);
/* From the notes that are loaded, and once the sections were read, from any. */
const struct elf_build_id *elf_file_build_id(const struct elf_file *file);

/* The parts of the file that are loaded; borrowed from the file. */
const struct elf_segments *elf_file_segments(const struct elf_file *file);
/* False: threads have no variables of this file. */
bool elf_file_tls(const struct elf_file *file, struct elf_tls *ret_tls);
/* The ELF virtual address of a file offset, by the executable segment that holds it, else by any
 * other. False when none does. */
bool elf_file_address(const struct elf_segments *segments, uint64_t offset, uint64_t *ret_address);

/* A piece of the file in memory as code: @size bytes from @offset of the file on, at @address. */
struct elf_placed {
	uint64_t address, size, offset;
};

/* What to take from an address in memory to get the file's own. By the executable segment that has
 * most of the piece, else by any: linkers let segments share pages of the file, so that the first
 * byte of a piece may be another segment's. False when no segment has any of it. */
bool elf_file_bias(const struct elf_segments *segments, const struct elf_placed *placed,
		   uint64_t *ret_bias);

/* Makes the sections known; before it there are none. A file without sections is not an error. */
int elf_file_read_sections(struct elf_file *file, struct err *err);
size_t elf_file_section_count(const struct elf_file *file);
/* Borrowed from the file; NULL when there is no such section. */
const struct elf_section *elf_file_section(const struct elf_file *file, size_t index);
const struct elf_section *elf_file_find(const struct elf_file *file, const char *name);
/* The sections of executable code, by address: borrowed, NULL behind the last. */
const struct elf_section *elf_file_code(const struct elf_file *file, size_t index);
/* The one of them that holds an address, NULL: none. */
const struct elf_section *elf_file_code_section(const struct elf_file *file, uint64_t address);

/* Checks that a section has bytes in the file, and not more than the limit for one section. */
int elf_file_check(const struct elf_file *file, const struct elf_section *section, struct err *err);
/* Reads section->size bytes, of a section that passed the check. */
int elf_file_read_into(const struct elf_file *file, const struct elf_section *section, void *bytes,
		       struct err *err);
/* Check and read: *ret_bytes (section->size bytes) is the caller's to free. */
int elf_file_read(const struct elf_file *file, const struct elf_section *section,
		  uint8_t **ret_bytes, struct err *err);
/* Are there so many bytes at this offset of the file? */
bool elf_file_holds(const struct elf_file *file, uint64_t offset, uint64_t size);
/* Reads bytes at an offset of the file. -EINVAL: they are not all there. */
int elf_file_read_at(const struct elf_file *file, uint64_t offset, void *bytes, size_t size,
		     struct err *err);
/* A reader of bytes of this file in its byte order. */
struct reader elf_file_reader(const struct elf_file *file, const void *bytes, size_t size);
/* The next word of the file's class: 32 or 64 bits. */
uint64_t elf_file_word(const struct elf_file *file, struct reader *reader);

#endif
