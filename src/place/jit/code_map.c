/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/jit/code_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hashidx.h"
#include "base/search.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum {
	PAGE_BITS = 12,
	MAX_PAGES = 64, /* larger pieces are not indexed by page */
	MAX_LARGE = 4096,
	/* Per page, newest first. More than that is no real code. */
	MAX_LOOKED_AT = 8192,
};

/* The pieces on a page, newest first. */
struct entry {
	uint32_t piece;
	uint32_t next; /* entry + 1; 0: none */
};

struct page {
	uint64_t number;
	uint32_t first; /* entry + 1 */
};

struct code_map {
	uint64_t next_place, end_place;
	bool apart;
	VEC(struct code_piece) pieces; /* as they came */
	VEC(struct entry) entries;
	VEC(struct page) pages;
	struct hashidx page_index;
	VEC(uint32_t) large;  /* pieces of more than MAX_PAGES pages */
	VEC(uint32_t) placed; /* pieces whose place is not an address, sorted by place */
	struct buf names;
};

struct code_map *code_map_new(uint64_t origin, bool apart)
{
	struct code_map *map = xcalloc(1, sizeof(*map));

	map->next_place = origin;
	map->end_place = origin + (CODE_MAP_ROOM - 1);
	map->apart = apart;
	return map;
}

void code_map_free(struct code_map *map)
{
	if (!map)
		return;
	vec_free(&map->pieces);
	vec_free(&map->entries);
	vec_free(&map->pages);
	vec_free(&map->large);
	vec_free(&map->placed);
	hashidx_done(&map->page_index);
	buf_done(&map->names);
	free(map);
}

DEFINE_EQUAL(is_page, struct code_map, pages.items, uint64_t, a->number == *b)

/* NULL: nothing was ever announced there. */
static struct page *page_of(const struct code_map *map, uint64_t number)
{
	uint32_t id;

	if (!hashidx_find(&map->page_index, hash_u64(number), is_page, map, &number, &id))
		return NULL;
	return &map->pages.items[id];
}

static bool covers(const struct code_piece *piece, uint64_t address)
{
	return address - piece->start < piece->size;
}

/* Visits pieces that may hold the address, newest first; large ones after the others. */
struct walk {
	const struct code_map *map;
	uint32_t entry; /* the next one, + 1 */
	size_t large;	/* number of large ones left */
	size_t left;
};

static struct walk walk_begin(const struct code_map *map, uint64_t address)
{
	const struct page *page = page_of(map, address >> PAGE_BITS);

	return (struct walk){ .map = map,
			      .entry = page ? page->first : 0,
			      .large = map->large.count,
			      .left = MAX_LOOKED_AT };
}

static const struct code_piece *walk_next(struct walk *walk)
{
	const struct code_map *map = walk->map;
	const struct entry *entry;

	if (walk->left == 0)
		return NULL;
	walk->left--;
	if (walk->entry) {
		entry = &map->entries.items[walk->entry - 1];
		walk->entry = entry->next;
		return &map->pieces.items[entry->piece];
	}
	return walk->large ? &map->pieces.items[map->large.items[--walk->large]] : NULL;
}

/* True if @a is a better answer for that time than @b, which was visited before. Of equal ones the
 * newest wins, which was visited first; of later ones the oldest. */
static bool is_better(const struct code_piece *a, const struct code_piece *b, uint64_t time_ns)
{
	if (!b)
		return true;
	if (a->since_ns > time_ns)
		return b->since_ns > time_ns && a->since_ns <= b->since_ns;
	return b->since_ns > time_ns || a->since_ns > b->since_ns;
}

const struct code_piece *code_map_find(const struct code_map *map, uint64_t address,
				       uint64_t time_ns)
{
	struct walk walk = walk_begin(map, address);
	const struct code_piece *piece, *best = NULL;

	while ((piece = walk_next(&walk))) {
		if (covers(piece, address) && is_better(piece, best, time_ns))
			best = piece;
	}
	return best;
}

const struct code_piece *code_map_newest(const struct code_map *map, uint64_t address)
{
	struct walk walk = walk_begin(map, address);
	const struct code_piece *piece, *newest = NULL;

	while ((piece = walk_next(&walk))) {
		if (piece->start == address && (!newest || piece > newest))
			newest = piece;
	}
	return newest;
}

static const struct code_piece *placed_at(const struct code_map *map, uint64_t place)
{
	const struct code_piece *pieces = map->pieces.items, *piece;
	size_t before =
		search_before(map->placed.items, map->placed.count, id, pieces[*id].place <= place);

	if (!before)
		return NULL;
	piece = &pieces[map->placed.items[before - 1]];
	return place - piece->place < piece->size ? piece : NULL;
}

const struct code_piece *code_map_at(const struct code_map *map, uint64_t place)
{
	struct walk walk;
	const struct code_piece *piece;

	if (place >= CODE_MAP_PLACES)
		return placed_at(map, place);
	walk = walk_begin(map, place);
	while ((piece = walk_next(&walk))) {
		if (piece->place == piece->start && covers(piece, place))
			return piece;
	}
	return NULL;
}

/* ---- announcements ---- */

static uint64_t last_page(const struct code_piece *piece)
{
	return (piece->start + piece->size - 1) >> PAGE_BITS;
}

static bool is_large(const struct code_piece *piece)
{
	return last_page(piece) - (piece->start >> PAGE_BITS) >= MAX_PAGES;
}

static bool overlap(const struct code_piece *a, const struct code_piece *b)
{
	return a->start < b->start + b->size && b->start < a->start + a->size;
}

/* True if anything was announced before at these addresses. A large piece is not checked: always
 * true. */
static bool is_used(const struct code_map *map, const struct code_piece *piece)
{
	const struct code_piece *other;

	if (is_large(piece))
		return true;
	for (uint64_t page = piece->start >> PAGE_BITS; page <= last_page(piece); page++) {
		struct walk walk = walk_begin(map, page << PAGE_BITS);

		while ((other = walk_next(&walk))) {
			if (overlap(piece, other))
				return true;
		}
	}
	return false;
}

static void file_on_page(struct code_map *map, uint64_t number, uint32_t piece)
{
	struct page *page = page_of(map, number);

	if (!page) {
		hashidx_add(&map->page_index, hash_u64(number), (uint32_t)map->pages.count);
		page = vec_push(&map->pages);
		*page = (struct page){ .number = number };
	}
	*vec_push(&map->entries) = (struct entry){ .piece = piece, .next = page->first };
	page->first = (uint32_t)map->entries.count;
}

static void file(struct code_map *map, const struct code_piece *piece, uint32_t id)
{
	if (is_large(piece)) {
		*vec_push(&map->large) = id;
		return;
	}
	for (uint64_t page = piece->start >> PAGE_BITS; page <= last_page(piece); page++)
		file_on_page(map, page, id);
}

static bool is_said_again(const struct code_map *map, const struct code_piece *piece,
			  const char *name, size_t length)
{
	const struct code_piece *last = code_map_find(map, piece->start, UINT64_MAX);
	const char *old;

	if (!last || last->start != piece->start || last->size != piece->size)
		return false;
	old = code_map_name(map, last);
	return strlen(old) == length && memcmp(old, name, length) == 0;
}

static bool fits(const struct code_map *map, const struct code_piece *piece, size_t length)
{
	if (piece->size == 0 || piece->size > CODE_MAP_MAX_SIZE ||
	    piece->start >= CODE_MAP_PLACES - CODE_MAP_MAX_SIZE)
		return false;
	if (is_large(piece) && map->large.count >= MAX_LARGE)
		return false;
	return map->pieces.count < CODE_MAP_MAX_PIECES &&
	       map->names.size + length < CODE_MAP_MAX_NAMES;
}

/* False: the map's range is used up. */
static bool find_place(struct code_map *map, struct code_piece *piece)
{
	piece->place = piece->start;
	if (!map->apart && !is_used(map, piece))
		return true;
	if (map->end_place - map->next_place < piece->size)
		return false;
	piece->place = map->next_place;
	map->next_place += piece->size;
	*vec_push(&map->placed) = (uint32_t)map->pieces.count;
	return true;
}

bool code_map_add(struct code_map *map, const struct code_piece *piece, const char *name,
		  size_t name_length)
{
	struct code_piece added = *piece;
	size_t length =
		strnlen(name, name_length < CODE_MAP_MAX_NAME ? name_length : CODE_MAP_MAX_NAME);

	if (!fits(map, piece, length))
		return false;
	if (is_said_again(map, piece, name, length))
		return true;
	if (!find_place(map, &added))
		return false;
	added.name = map->names.size;
	buf_add(&map->names, name, length);
	buf_add_char(&map->names, '\0');
	*vec_push(&map->pieces) = added;
	file(map, &added, (uint32_t)map->pieces.count - 1);
	return true;
}

void code_map_lose_file(struct code_map *map)
{
	for (size_t i = 0; i < map->pieces.count; i++)
		map->pieces.items[i].bytes_at = map->pieces.items[i].lines_at = 0;
}

const char *code_map_name(const struct code_map *map, const struct code_piece *piece)
{
	return map->names.bytes + piece->name;
}

bool code_map_has_placed(const struct code_map *map)
{
	return map->placed.count > 0;
}
