/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JIT code, as the program announces it: pieces with a name, a range of addresses and the time from
 * which they are there. Programs reuse memory: one address may hold several pieces, one after the
 * other.
 *
 * Frames are stored by place, not by time. So every piece gets its own place: its addresses if
 * nothing was announced there before, else a range beyond all addresses, counted from the map's own
 * @origin.
 */
#ifndef PLACE_JIT_CODE_MAP_H
#define PLACE_JIT_CODE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_map;

enum {
	CODE_MAP_MAX_PIECES = 1 << 20,
	CODE_MAP_MAX_NAME = 4096, /* bytes of a name that are kept; the rest is truncated */
};

#define CODE_MAP_MAX_NAMES (64ULL << 20) /* bytes, of all names of a map */
#define CODE_MAP_MAX_SIZE  (1ULL << 30)	 /* bytes of one piece */
#define CODE_MAP_PLACES	   (1ULL << 63)	 /* places that are not addresses begin here */
#define CODE_MAP_ROOM	   (1ULL << 40)	 /* range of one map's places, from its origin */

struct code_piece {
	uint64_t start, size; /* addresses, [start, start + size) */
	uint64_t place;	      /* of its first byte: @start, or in the map's own range */
	uint64_t since_ns;    /* CLOCK_MONOTONIC */
	uint64_t bytes_at;    /* file offset of its code; 0: none */
	uint64_t lines_at;    /* file offset of its lines; 0: none */
	size_t name;	      /* see code_map_name */
};

/* @origin: CODE_MAP_PLACES + n * CODE_MAP_ROOM, n unique among maps that are searched for the same
 * frames. @apart: no piece gets its addresses as its place, because another map has pieces
 * there. */
struct code_map *code_map_new(uint64_t origin, bool apart);
void code_map_free(struct code_map *map); /* NULL is fine */

/* Announces a piece, and finds its place. @name is copied and truncated, and need not end with a
 * NUL. If the last announcement for these addresses had the same name, nothing is added. False: not
 * kept, because it is empty, ends beyond the last address, or a limit is reached. */
bool code_map_add(struct code_map *map, const struct code_piece *piece, const char *name,
		  size_t name_length);

/* The piece that was at @address at @time_ns: the last one announced before; if there is none, the
 * first one announced later, since announcements come late. NULL: never any. Borrowed until the
 * next code_map_add. */
const struct code_piece *code_map_find(const struct code_map *map, uint64_t address,
				       uint64_t time_ns);
/* The piece at this place; NULL: none in this map. */
const struct code_piece *code_map_at(const struct code_map *map, uint64_t place);
/* The newest piece that begins at @address; NULL: none. */
const struct code_piece *code_map_newest(const struct code_map *map, uint64_t address);

/* The file that had the pieces' code and lines has new content: forgets where they were in it. */
void code_map_lose_file(struct code_map *map);

/* Borrowed until the next code_map_add. */
const char *code_map_name(const struct code_map *map, const struct code_piece *piece);
/* True if the place of any piece differs from its addresses. */
bool code_map_has_placed(const struct code_map *map);

#endif
