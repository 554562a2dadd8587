/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampling/stack_tables.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hashidx.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "sampling/word_space.h"

enum {
	SEGMENT_BYTES = STACK_SEGMENT_WORDS * 4,
	PAGE_ROWS_MAX = 1 << UNWIND_PAGE_BITS, /* no two rows at one offset */
	PAGE_WORDS = sizeof(struct stack_page) / 4,
	BLOCK_WORDS = sizeof(struct stack_block) / 4,
	MAPPING_WORDS = sizeof(struct stack_mapping) / 4,
};

struct image_rows {
	bool here;
	uint64_t base;
	uint32_t page_count;
	struct word_extent pages, rows;
};

struct segment {
	uint32_t *words; /* mapped */
	int fd;		 /* until it is entered; then -1 */
};

struct stack_tables {
	struct stack_maps maps;
	struct word_space words;
	VEC(struct segment) segments;
	size_t entered;		       /* the first ones, which the program can see */
	VEC(struct image_rows) images; /* by the caller's number */
	struct hashidx rule_index;     /* into maps.rules */
	uint32_t rule_count;
	/* Replaced extents. `retired` waits until those in `leaving` are free; these wait until
	 * every CPU has ended the run that it was in when they were moved there. */
	VEC(struct word_extent) retired;
	VEC(struct word_extent) leaving;
	uint64_t *running; /* each CPU's count at that time */
	struct stack_tables_counts counts;
};

struct stack_tables *stack_tables_new(const struct stack_maps *maps)
{
	struct stack_tables *tables = xcalloc(1, sizeof(*tables));

	tables->maps = *maps;
	tables->words =
		(struct word_space){ .limit = (uint32_t)STACK_MAX_SEGMENTS * STACK_SEGMENT_WORDS,
				     .segment = STACK_SEGMENT_WORDS };
	tables->running = xcalloc(maps->cpu_count, sizeof(*tables->running));
	tables->rule_count = 1; /* rule 0: none */
	return tables;
}

void stack_tables_free(struct stack_tables *tables)
{
	if (!tables)
		return;
	for (size_t i = 0; i < tables->segments.count; i++) {
		munmap(tables->segments.items[i].words, SEGMENT_BYTES);
		if (tables->segments.items[i].fd >= 0)
			close(tables->segments.items[i].fd);
	}
	vec_free(&tables->segments);
	vec_free(&tables->images);
	vec_free(&tables->retired);
	vec_free(&tables->leaving);
	hashidx_done(&tables->rule_index);
	word_space_done(&tables->words);
	free(tables->running);
	free(tables);
}

/* ---- words ---- */

/* Creates the map of one segment and maps it into our memory. */
static int add_segment(struct stack_tables *tables)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	_cleanup_close_ int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "segment", sizeof(uint32_t),
						SEGMENT_BYTES, 1, &options);
	uint32_t *memory;

	if (fd < 0)
		return fd;
	memory = mmap(NULL, SEGMENT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	*vec_push(&tables->segments) = (struct segment){ memory, steal_fd(fd) };
	return 0;
}

static int enter_one_by_one(struct stack_tables *tables, const uint32_t *numbers, const int *fds,
			    uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (bpf_map_update_elem(tables->maps.segments_fd, &numbers[i], &fds[i], BPF_ANY) <
		    0)
			return -errno;
	}
	return 0;
}

/* Makes new segments visible to the program, all in one call if the kernel can: each call waits 5
 * to 20 ms until no program uses the previous state, and a compiler's libraries need a dozen
 * segments. */
static int enter_segments(struct stack_tables *tables)
{
	size_t first = tables->entered;
	uint32_t count = (uint32_t)(tables->segments.count - first), done = count;
	_cleanup_free_ uint32_t *numbers = xcalloc(count + 1, sizeof(*numbers));
	_cleanup_free_ int *fds = xcalloc(count + 1, sizeof(*fds));
	int rc = 0;

	for (uint32_t i = 0; i < count; i++) {
		numbers[i] = (uint32_t)first + i;
		fds[i] = tables->segments.items[first + i].fd;
	}
	if (count && bpf_map_update_batch(tables->maps.segments_fd, numbers, fds, &done, NULL) < 0)
		rc = enter_one_by_one(tables, numbers, fds, count);
	for (uint32_t i = 0; rc == 0 && i < count; i++) {
		close(fds[i]);
		tables->segments.items[first + i].fd = -1;
		tables->entered++;
	}
	return rc;
}

static bool take_words(struct stack_tables *tables, uint64_t words, bool whole,
		       struct word_extent *ret_extent)
{
	if (words > UINT32_MAX ||
	    !word_space_take(&tables->words, (uint32_t)words, whole, ret_extent))
		return false;
	while (tables->segments.count * STACK_SEGMENT_WORDS < tables->words.end) {
		if (add_segment(tables) < 0) {
			word_space_give(&tables->words, *ret_extent);
			return false;
		}
	}
	return true;
}

static uint32_t *word_at(const struct stack_tables *tables, uint32_t word)
{
	return tables->segments.items[word / STACK_SEGMENT_WORDS].words +
	       word % STACK_SEGMENT_WORDS;
}

static void retire(struct stack_tables *tables, struct word_extent extent)
{
	if (extent.words)
		*vec_push(&tables->retired) = extent;
}

static uint64_t running_now(const struct stack_tables *tables, size_t cpu)
{
	return __atomic_load_n(&tables->maps.cpus[cpu].running, __ATOMIC_ACQUIRE);
}

static bool all_have_left(const struct stack_tables *tables)
{
	for (size_t i = 0; i < tables->maps.cpu_count; i++) {
		if (tables->running[i] % 2 && running_now(tables, i) == tables->running[i])
			return false;
	}
	return true;
}

void stack_tables_settle(struct stack_tables *tables)
{
	if (!all_have_left(tables))
		return;
	for (size_t i = 0; i < tables->leaving.count; i++)
		word_space_give(&tables->words, tables->leaving.items[i]);
	tables->leaving.count = 0;
	for (size_t i = 0; i < tables->retired.count; i++)
		*vec_push(&tables->leaving) = tables->retired.items[i];
	tables->retired.count = 0;
	/* A system call replaced the old data before this point, so a run that starts now reads the
	 * new. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (size_t i = 0; i < tables->maps.cpu_count; i++)
		tables->running[i] = running_now(tables, i);
}

/* ---- images ---- */

static bool rule_equal(const void *owner, uint32_t id, const void *key)
{
	const struct unwind_rule *rules = owner;

	return memcmp(&rules[id], key, sizeof(rules[id])) == 0;
}

/* The number of a rule in the common table; 0 (none) if the table is full. */
static uint32_t common_rule(struct stack_tables *tables, const struct unwind_rule *rule)
{
	uint64_t hash = hash_bytes(rule, sizeof(*rule));
	uint32_t number;

	if (rule->cfa == UNWIND_CFA_NONE && !rule->flags)
		return 0;
	if (hashidx_find(&tables->rule_index, hash, rule_equal, tables->maps.rules, rule, &number))
		return number;
	if (tables->rule_count == STACK_MAX_RULES) {
		tables->counts.no_room_rules++;
		return 0;
	}
	number = tables->rule_count++;
	tables->maps.rules[number] = *rule;
	hashidx_add(&tables->rule_index, hash, number);
	return number;
}

/* Writes a page's rows with rule numbers of the common table. Returns the word after them. */
static uint32_t write_page(struct stack_tables *tables, const struct unwind_table *rows,
			   uint32_t page, const uint32_t *rules, uint32_t at,
			   struct stack_page *ret_page)
{
	uint32_t first = rows->pages[page], count = rows->pages[page + 1] - first;
	uint32_t *to;

	if (count > PAGE_ROWS_MAX)
		count = PAGE_ROWS_MAX;
	if (count && at / STACK_SEGMENT_WORDS != (at + count - 1) / STACK_SEGMENT_WORDS)
		at = (at / STACK_SEGMENT_WORDS + 1) * STACK_SEGMENT_WORDS;
	*ret_page = (struct stack_page){ .rows = at, .count = count };
	if (count == 0)
		return at;
	to = word_at(tables, at);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t row = rows->rows[first + i];
		uint32_t rule = UNWIND_ROW_RULE(row);

		to[i] = UNWIND_ROW(UNWIND_ROW_OFFSET(row),
				   rule < rows->rule_count ? rules[rule] : 0);
	}
	return at + count;
}

static void write_rows(struct stack_tables *tables, const struct unwind_table *rows,
		       const struct image_rows *image)
{
	_cleanup_free_ uint32_t *rules = xcalloc(rows->rule_count + 1, sizeof(*rules));
	uint32_t at = image->rows.start;

	for (uint32_t i = 0; i < rows->rule_count; i++)
		rules[i] = common_rule(tables, &rows->rules[i]);
	for (uint32_t i = 0; i < rows->page_count; i++) {
		struct stack_page page;

		at = write_page(tables, rows, i, rules, at, &page);
		memcpy(word_at(tables, image->pages.start + i * PAGE_WORDS), &page, sizeof(page));
	}
}

/* At the end of each segment, up to one page's rows may stay unused. */
static uint64_t words_for_rows(const struct unwind_table *rows)
{
	return (uint64_t)rows->row_count +
	       (rows->row_count / (STACK_SEGMENT_WORDS - PAGE_ROWS_MAX) + 1) * PAGE_ROWS_MAX;
}

static bool take_image(struct stack_tables *tables, const struct unwind_table *rows,
		       struct image_rows *image)
{
	uint64_t row_words = rows->row_count;

	if (!take_words(tables, (uint64_t)rows->page_count * PAGE_WORDS, false, &image->pages))
		return false;
	/* small ones fit into one segment */
	if (row_words <= STACK_SEGMENT_WORDS / 4
		    ? take_words(tables, row_words, true, &image->rows)
		    : take_words(tables, words_for_rows(rows), false, &image->rows))
		return true;
	word_space_give(&tables->words, image->pages);
	return false;
}

int stack_tables_add_image(struct stack_tables *tables, uint32_t image,
			   const struct unwind_table *rows)
{
	struct image_rows made = { .here = true,
				   .base = rows->base,
				   .page_count = rows->page_count };

	if (stack_tables_has_image(tables, image))
		return -EEXIST;
	if (image >= STACK_TABLES_MAX_IMAGES || STACK_MAPPING_KIND(rows->page_count) != 0 ||
	    !take_image(tables, rows, &made)) {
		tables->counts.no_room_rows++;
		return -ENOSPC;
	}
	write_rows(tables, rows, &made);
	while (tables->images.count <= image)
		*vec_push(&tables->images) = (struct image_rows){ 0 };
	tables->images.items[image] = made;
	tables->counts.images++;
	return 0;
}

bool stack_tables_has_image(const struct stack_tables *tables, uint32_t image)
{
	return image < tables->images.count && tables->images.items[image].here;
}

/* ---- address spaces ---- */

static struct word_extent extent_of(const struct stack_space *space)
{
	uint32_t words = BLOCK_WORDS + space->mapping_count * MAPPING_WORDS;

	return (struct word_extent){ space->block, (words + WORD_SPACE_UNIT - 1) / WORD_SPACE_UNIT *
							   WORD_SPACE_UNIT };
}

static bool find_space(const struct stack_tables *tables, uint64_t space,
		       struct stack_space *ret_space)
{
	return bpf_map_lookup_elem(tables->maps.spaces_fd, &space, ret_space) == 0;
}

static struct stack_mapping mapping_of(const struct stack_tables *tables,
				       const struct stack_range *range)
{
	struct stack_mapping mapping = { .start = range->start, .end = range->end };
	enum stack_map_kind kind = range->kind;

	if (kind == STACK_MAP_ROWS && !stack_tables_has_image(tables, range->image))
		kind = STACK_MAP_WAITING;
	if (kind == STACK_MAP_ROWS) {
		const struct image_rows *image = &tables->images.items[range->image];

		mapping.base = range->bias + image->base;
		mapping.pages = image->pages.start;
		mapping.page_count = image->page_count;
	}
	mapping.page_count = STACK_MAPPING_PAGES(mapping.page_count, kind);
	return mapping;
}

static void write_block(struct stack_tables *tables, const struct stack_space_table *table,
			uint32_t at)
{
	struct stack_block block;
	uint32_t *to = word_at(tables, at);

	for (int i = 0; i < STACK_ENTRIES; i++) {
		block.entry_start[i] = table->entries[i].start;
		block.entry_end[i] = table->entries[i].end;
	}
	memcpy(to, &block, sizeof(block));
	for (size_t i = 0; i < table->range_count; i++) {
		struct stack_mapping mapping = mapping_of(tables, &table->ranges[i]);

		memcpy(to + BLOCK_WORDS + i * MAPPING_WORDS, &mapping, sizeof(mapping));
	}
}

static int no_space(struct stack_tables *tables, uint64_t space, uint64_t *counter)
{
	(*counter)++;
	stack_tables_drop_space(tables, space);
	return -ENOSPC;
}

int stack_tables_set_space(struct stack_tables *tables, uint64_t space,
			   const struct stack_space_table *table)
{
	struct stack_space made = { .generation = table->generation,
				    .mapping_count = (uint32_t)table->range_count };
	struct stack_space old;
	bool had = find_space(tables, space, &old);
	struct word_extent extent;

	if (table->range_count > STACK_MAX_MAPPINGS)
		return no_space(tables, space, &tables->counts.too_many_mappings);
	if (!take_words(tables, extent_of(&made).words, true, &extent))
		return no_space(tables, space, &tables->counts.no_room_spaces);
	made.block = extent.start;
	write_block(tables, table, made.block);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (enter_segments(tables) < 0 ||
	    bpf_map_update_elem(tables->maps.spaces_fd, &space, &made, BPF_ANY) < 0) {
		word_space_give(&tables->words, extent);
		return no_space(tables, space, &tables->counts.no_room_spaces);
	}
	if (had)
		retire(tables, extent_of(&old));
	else
		tables->counts.spaces++;
	return 0;
}

void stack_tables_drop_space(struct stack_tables *tables, uint64_t space)
{
	struct stack_space old;

	if (!find_space(tables, space, &old) ||
	    bpf_map_delete_elem(tables->maps.spaces_fd, &space) < 0)
		return;
	retire(tables, extent_of(&old));
	tables->counts.spaces--;
}

uint64_t stack_tables_generation(const struct stack_tables *tables, uint64_t space)
{
	struct stack_space now;

	return find_space(tables, space, &now) ? now.generation : 0;
}

/* ---- known stacks ---- */

void stack_tables_learn(struct stack_tables *tables, uint64_t hash)
{
	if (hash)
		__atomic_store_n(&tables->maps.known_hashes[hash % STACK_KNOWN_HASHES], hash,
				 __ATOMIC_RELAXED);
}

struct stack_tables_counts stack_tables_counts(const struct stack_tables *tables)
{
	struct stack_tables_counts counts = tables->counts;

	counts.bytes = tables->segments.count * (size_t)SEGMENT_BYTES;
	return counts;
}
