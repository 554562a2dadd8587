/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The current mappings of a process: a sorted array of ranges that do not overlap. Spaces are
 * shared by reference (fork) and copied when one of the sharers changes; NULL is an empty space.
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
	uint64_t since; /* the caller's serial of the change that gave these addresses this meaning,
			   or of a later one */
};

/* Limit of executable ranges in one space (the kernel's own default for a process is 65,530).
 * Further ranges are not kept, and lookups do not find them. */
enum { ADDRESS_SPACE_MAX = 1 << 17 };

/* Another reference to the same space; NULL gives NULL. */
struct address_space *address_space_share(struct address_space *space);
/* Drops a reference; the last one frees. NULL is fine. */
void address_space_unref(struct address_space *space);

/* How a mapping changed the space. */
enum address_space_change {
	ADDRESS_SPACE_SAME,	/* nothing: its addresses already led to the same place of this
				   image */
	ADDRESS_SPACE_ADDED,	/* addresses that were mapped keep their meaning */
	ADDRESS_SPACE_REPLACED, /* some addresses have a new meaning */
};

/* Maps a range, replacing, trimming or splitting those that it overlaps. *space is the caller's one
 * reference and may be moved to a copy. Empty ranges are ignored. A range that only grows keeps its
 * `since`, because the new addresses had no meaning before. */
enum address_space_change address_space_map(struct address_space **space,
					    const struct mapping *mapping);

/* The range that holds the address; false: none. */
bool address_space_find(const struct address_space *space, uint64_t address,
			struct mapping *ret_mapping);
/* True if no address of [start, end) changed its meaning after that serial. Also false if a mapping
 * over part of the range began later. */
bool address_space_unchanged(const struct address_space *space, uint64_t start, uint64_t end,
			     uint64_t serial);
size_t address_space_count(const struct address_space *space);
/* The ranges by address; @index < address_space_count. */
struct mapping address_space_at(const struct address_space *space, size_t index);

#endif
