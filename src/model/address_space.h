/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is mapped where, as of now: a sorted array of ranges that do not overlap. Spaces are shared
 * by reference (fork) and copied when one of the sharers changes; NULL is an empty space.
 */
#ifndef MODEL_ADDRESS_SPACE_H
#define MODEL_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct address_space;

/* A range of executable memory. */
struct mapping {
	uint64_t start, end; /* [start, end) */
	uint64_t offset;     /* into the file at start */
	uint32_t image;	     /* in the profile */
	uint64_t since; /* the caller's serial of the change with which these addresses got this
			   meaning, or of a later one */
};

/* More executable ranges than this in one space are not kept (the kernel's own default limit for a
 * process is 65,530): what lies there is then found nowhere. */
enum { ADDRESS_SPACE_MAX = 1 << 17 };

/* Another reference to the same space; NULL gives NULL. */
struct address_space *address_space_share(struct address_space *space);
/* Drops a reference; the last one frees. NULL is fine. */
void address_space_unref(struct address_space *space);

/* What a mapping did to the space. */
enum address_space_change {
	ADDRESS_SPACE_SAME,	/* every address of it already led to this place of this image */
	ADDRESS_SPACE_ADDED,	/* what was mapped means what it meant */
	ADDRESS_SPACE_REPLACED, /* some addresses mean something else now */
};

/* Maps a range, replacing, trimming or splitting what it overlaps. *space is the caller's one
 * reference and may be moved to a copy. Empty ranges are ignored. What only grows keeps its
 * `since`: nothing was at the addresses that are new. */
enum address_space_change address_space_map(struct address_space **space,
					    const struct mapping *mapping);

/* The range that holds the address; false: none. */
bool address_space_find(const struct address_space *space, uint64_t address,
			struct mapping *ret_mapping);
/* Does every address of [start, end) that had a meaning at that serial still have it? False also
 * where a mapping over part of the range began later. */
bool address_space_unchanged(const struct address_space *space, uint64_t start, uint64_t end,
			     uint64_t serial);
size_t address_space_count(const struct address_space *space);
/* The ranges by address; @index < address_space_count. */
struct mapping address_space_at(const struct address_space *space, size_t index);

#endif
