/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the file of a mapping may be: paths that are tried in turn until one leads to the file that
 * was mapped, and descriptors of files that were just executed, for mappings whose file is deleted
 * before we see them.
 */
#ifndef PLACE_FILES_FILE_SEARCH_H
#define PLACE_FILES_FILE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/hashidx.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "model/words.h"
#include "place/files/file_identity.h"

struct offered_file {
	int fd; /* owned */
	uint64_t dev, inode;
	uint64_t round; /* when it was offered */
};

/* The first three are set by the owner and borrowed; the rest starts as zero. */
struct file_search {
	const char *root;	       /* a folder to look in first; NULL: none */
	const struct readers *readers; /* who must be allowed to read files; NULL: ourselves */
	size_t most_offers;
	VEC(struct offered_file) offers; /* oldest first */
	/* Answers of file_search_link, because each exec asks again. */
	struct strpool names;
	VEC(struct link_answer) answers;
	struct hashidx answer_index;
};

struct file_search_result {
	int fd;			       /* the caller's; -1: not found */
	struct file_identity identity; /* of the file found */
	bool by_path;		       /* found by its plain path, which may lead to it again */
	enum image_state reason;       /* why not found: GONE, DENIED, REPLACED, UNPROVEN or LATE */
	/* of a file that was not found, told by the kernel for a process that has it mapped */
	struct elf_build_id told;
	bool changed;	/* the file was there, but changed since it was mapped */
	bool exhausted; /* a file was there, but no free descriptor */
};

/* Looks for the file of a mapping record. @literal is the path as recorded, and mapped->path the
 * same without " (deleted)", which can be part of a file's name: then mapped->path becomes
 * @literal. */
struct file_search_result file_search_find(struct file_search *search, struct mapped_file *mapped,
					   const char *literal);
/* Reopens a file that was open before, if it did not change: by its path, then through the root of
 * its process (0: none). */
struct file_search_result file_search_again(const struct file_search *search,
					    const struct mapped_file *mapped,
					    const struct file_identity *identity);

/* Takes over a descriptor. Closes it if the same file is already here; closes the oldest one if
 * there are too many. */
void file_search_offer(struct file_search *search, int fd, uint64_t round);
/* Closes those offered before @round. */
void file_search_forget(struct file_search *search, uint64_t round);

/* The whole name of a link to the file (dev, inode), next to @file or in a folder of PATH, that
 * begins with @comm. Borrowed until the next call. NULL: there is none, or several. */
const char *file_search_link(struct file_search *search, const char *file, const char *comm,
			     dev_t dev, ino_t inode);
/* Files that are in no folder: only the process that maps them leads to them. */
bool file_search_is_memfd(const char *path);

void file_search_done(struct file_search *search);

#endif
