/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The container of an ELF file (executable or shared object, 32 or 64 bits, either byte order):
 * program headers, build id, sections and their bytes. Everything is read with pread and never
 * mapped, so a file that shrinks meanwhile causes an error, not a signal. Files are untrusted:
 * every size is checked, and contents are parsed with base/reader.h.
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
	uint8_t size; /* 0: no build id */
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

/* PT_TLS: the template of the file's thread-local variables. */
struct elf_tls {
	uint64_t address, size; /* in memory */
	uint64_t alignment;
};

struct elf_section {
	const char *name; /* borrowed from the file; "" if the section has no name */
	uint32_t type;	  /* SHT_ */
	uint32_t link, info;
	uint64_t flags; /* SHF_ */
	uint64_t address, offset, size;
	uint64_t entry_size;
};

/* Reads the headers and the build id. @fd is borrowed until elf_file_free. -ENOEXEC: not an ELF
 * executable or shared object. */
int elf_file_open(int fd, struct elf_file **ret_file, struct err *err);
/* Like elf_file_open, for any type of ELF file: split debug information and kernel modules are
 * relocatable files. Such a file does not say where its sections will be loaded.
 * elf_file_read_sections places the loaded ones one after the other, always in the same way; the
 * resulting addresses serve as ELF virtual addresses. */
int elf_file_open_any(int fd, struct elf_file **ret_file, struct err *err);
/* Like elf_file_open, for a file in memory. @bytes is borrowed until elf_file_free. */
int elf_file_open_memory(const void *bytes, size_t size, struct elf_file **ret_file,
			 struct err *err);
void elf_file_free(struct elf_file *file); /* NULL is fine */
DEFINE_CLEANUP(struct elf_file *, elf_file_free);

/* The descriptor the file was opened from, borrowed; -1 for memory. */
int elf_file_descriptor(const struct elf_file *file);
uint16_t elf_file_machine(const struct elf_file *file); /* EM_ */
bool elf_file_is_relocatable(const struct elf_file *file);
bool elf_file_is_64(const struct elf_file *file);
/* The entry point, an ELF virtual address; 0: none. */
uint64_t elf_file_entry(const struct elf_file *file);
/* From the loaded notes. After elf_file_read_sections, from any note. */
const struct elf_build_id *elf_file_build_id(const struct elf_file *file);
/* True if the build id has exactly these bytes. Without bytes: true if it is none. */
bool elf_file_build_id_is(const struct elf_build_id *build_id, const uint8_t *bytes, size_t size);

/* The loaded segments; borrowed from the file. */
const struct elf_segments *elf_file_segments(const struct elf_file *file);
/* False: the file has no thread-local variables. */
bool elf_file_tls(const struct elf_file *file, struct elf_tls *ret_tls);
/* The ELF virtual address of a file offset. An executable segment that contains the offset is
 * preferred to others. False: no segment contains it. */
bool elf_file_address(const struct elf_segments *segments, uint64_t offset, uint64_t *ret_address);

/* ELF gABI "Relocation". */
struct elf_relocation {
	uint64_t place;	 /* what is relocated: offset in a section, or ELF virtual address */
	uint64_t addend; /* 0 if the entry has none */
	uint32_t type, symbol;
};

/* A piece of the file in memory as code: @size bytes at @address, from file offset @offset. */
struct elf_placed {
	uint64_t address, size, offset;
};

/* What to subtract from an address in memory to get the ELF virtual address. Uses the segment with
 * the most bytes of the piece; executable segments are preferred. The first byte of the piece is no
 * guide, because linkers let segments share pages of the file. False: no segment has any byte of
 * the piece. */
bool elf_file_bias(const struct elf_segments *segments, const struct elf_placed *placed,
		   uint64_t *ret_bias);

/* Reads the section headers; before this call the file has no sections. A file without sections is
 * not an error. */
int elf_file_read_sections(struct elf_file *file, struct err *err);
size_t elf_file_section_count(const struct elf_file *file);
/* Borrowed from the file. NULL: no such section. */
const struct elf_section *elf_file_section(const struct elf_file *file, size_t index);
const struct elf_section *elf_file_find(const struct elf_file *file, const char *name);
/* The sections with executable code, by address. Borrowed; NULL after the last. */
const struct elf_section *elf_file_code(const struct elf_file *file, size_t index);
/* The code section that contains an address; NULL: none. */
const struct elf_section *elf_file_code_section(const struct elf_file *file, uint64_t address);

/* Checks that a section has bytes in the file and is within the limit for one section. */
int elf_file_check(const struct elf_file *file, const struct elf_section *section, struct err *err);
/* Reads section->size bytes. The section must have passed elf_file_check. */
int elf_file_read_into(const struct elf_file *file, const struct elf_section *section, void *bytes,
		       struct err *err);
/* Checks and reads. The caller frees *ret_bytes: section->size bytes, and room for a NUL. */
int elf_file_read(const struct elf_file *file, const struct elf_section *section,
		  uint8_t **ret_bytes, struct err *err);
/* True if the file has @size bytes at this offset. */
bool elf_file_holds(const struct elf_file *file, uint64_t offset, uint64_t size);
/* Reads bytes at an offset of the file. -EINVAL: the file does not have all of them. */
int elf_file_read_at(const struct elf_file *file, uint64_t offset, void *bytes, size_t size,
		     struct err *err);
/* A reader for bytes of this file, in its byte order. */
struct reader elf_file_reader(const struct elf_file *file, const void *bytes, size_t size);
/* The next word of the file's class: 32 or 64 bits. */
uint64_t elf_file_word(const struct elf_file *file, struct reader *reader);
/* The next entry of a SHT_RELA (@has_addend) or SHT_REL section. If it is incomplete, reader->bad
 * is set. */
struct elf_relocation elf_file_relocation(const struct elf_file *file, struct reader *reader,
					  bool has_addend);

#endif
