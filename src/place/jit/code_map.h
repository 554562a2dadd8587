/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that a program makes for itself while it runs (JIT), as its own announcements tell: pieces
 * with a name, a range of addresses and the time from which they lie there. Memory is used again:
 * at one address several pieces may lie one after the other.
 *
 * Frames are kept by place, not by time. So every piece gets a place of its own: the range of its
 * addresses where nothing was announced there before, else a range behind all addresses, out of the
 * map's own @origin.
 */
#ifndef PLACE_JIT_CODE_MAP_H
#define PLACE_JIT_CODE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_map;

enum {
	CODE_MAP_MAX_PIECES = 1 << 20,
	CODE_MAP_MAX_NAME = 4096, /* bytes of a name that are kept */
};

#define CODE_MAP_MAX_NAMES (64ULL << 20) /* bytes, of all names of a map */
#define CODE_MAP_MAX_SIZE  (1ULL << 30)	 /* bytes of one piece */
#define CODE_MAP_PLACES	   (1ULL << 63)	 /* places that are no addresses begin here */
#define CODE_MAP_ROOM	   (1ULL << 40)	 /* of one map, from its origin on */

struct code_piece {
	uint64_t start, size; /* addresses, [start, start + size) */
	uint64_t place;	      /* of its first byte: @start, or in the map's own room */
	uint64_t since_ns;    /* CLOCK_MONOTONIC */
	uint64_t bytes_at;    /* where a file has its code; 0: nowhere */
	uint64_t lines_at;    /* where it has its lines; the same */
	size_t name;	      /* see code_map_name */
};

/* @origin: CODE_MAP_PLACES + n * CODE_MAP_ROOM, n unique among maps that are asked for the same
 * frames. @apart: no piece gets its addresses as its place, because another map has pieces there.
 */
struct code_map *code_map_new(uint64_t origin, bool apart);
void code_map_free(struct code_map *map); /* NULL is fine */

/* Announces a piece: its place is found here; @name is copied, cut and need not end with a NUL.
 * What was just announced at that very place under the same name is not announced again. False: it
 * is not kept, because it is empty, ends beyond the last address or a limit is reached. */
bool code_map_add(struct code_map *map, const struct code_piece *piece, const char *name,
		  size_t name_length);

/* The piece that lay at @address at @time_ns: the one announced last before; where there is none,
 * the first one announced later, for announcements come late. NULL: none ever. Borrowed until the
 * next code_map_add. */
const struct code_piece *code_map_find(const struct code_map *map, uint64_t address,
				       uint64_t time_ns);
/* The piece that has this place; NULL: none of this map. */
const struct code_piece *code_map_at(const struct code_map *map, uint64_t place);
/* The newest piece that begins at @address; NULL: none. */
const struct code_piece *code_map_newest(const struct code_map *map, uint64_t address);

/* The file that had their code and lines has other content now: no piece has any there. */
void code_map_lose_file(struct code_map *map);

/* Borrowed until the next code_map_add. */
const char *code_map_name(const struct code_map *map, const struct code_piece *piece);
/* Has any piece another place than its addresses? */
bool code_map_has_placed(const struct code_map *map);
size_t code_map_count(const struct code_map *map);

#endif
