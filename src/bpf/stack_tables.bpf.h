/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The tables of stack_wire.h as the kernel side reads them. Searches do not branch on the data, so
 * the verifier has one path to follow and the processor nothing to predict.
 */
#ifndef BPF_STACK_TABLES_BPF_H
#define BPF_STACK_TABLES_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "bpf/stack_wire.h"
#include "bpf/unwind_rows.h"

struct segment {
	__u32 words[STACK_SEGMENT_WORDS];
};

struct segment_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	/* clang leaves out the types of a map within a map */
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct segment));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, STACK_MAX_SEGMENTS);
	__type(key, __u32);
	__array(values, struct segment_map);
} segments SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, STACK_MAX_SPACES);
	__type(key, __u64);
	__type(value, struct stack_space);
} spaces SEC(".maps");

/* One table of rules for all images, which user space writes through its mapping. An object that
 * borrows another object's tables defines STACK_RULE itself. */
#ifndef STACK_RULE
struct unwind_rule rules[STACK_MAX_RULES];
#define STACK_RULE(number) (&rules[number])
#endif

enum {
	/* Halvings until one item is left. */
	MAPPING_STEPS = 15, /* of STACK_MAX_MAPPINGS */
	ROW_STEPS = 13,	    /* of 4096, the most rows of a page */
};

_Static_assert(STACK_MAX_MAPPINGS <= 1 << (MAPPING_STEPS - 1), "searched to the end");

/* All ones if a <= b, else 0, without a branch. */
static __always_inline __u64 not_above(__u64 a, __u64 b)
{
	__u64 borrow = (~b & a) | ((~b | a) & (b - a)); /* bit 63: b - a is negative */

	return ~(__u64)((__s64)borrow >> 63);
}

static __always_inline struct segment *find_segment(__u32 word)
{
	__u32 number = word / STACK_SEGMENT_WORDS, zero = 0;
	void *map = bpf_map_lookup_elem(&segments, &number);

	return map ? bpf_map_lookup_elem(map, &zero) : NULL;
}

/* Item @index of @size bytes of an array that begins at byte @offset of a segment, in place.
 * @offset is a multiple of @size, which is a power of two. */
static __always_inline void *segment_item(struct segment *segment, __u32 offset, __u32 index,
					  __u32 size)
{
	__u32 mask = sizeof(*segment) / size - 1;

	return (char *)segment + (__u64)((offset / size + index) & mask) * size;
}

/* Copies the mapping of a space that contains the address; 0 if there is none. */
static __always_inline int find_mapping(__u32 block, __u32 count, __u64 address,
					struct stack_mapping *ret_mapping)
{
	__u32 first = (block % STACK_SEGMENT_WORDS) * 4 + sizeof(struct stack_block), low = 0;
	struct segment *segment = find_segment(block);
	const struct stack_mapping *mapping;

	if (!segment)
		return 0;
	for (int i = 0; i < MAPPING_STEPS && count > 1; i++) {
		__u32 half = count / 2;

		mapping = segment_item(segment, first, low + half, sizeof(*mapping));
		low += half & (__u32)not_above(mapping->start, address);
		count -= half;
	}
	mapping = segment_item(segment, first, low, sizeof(*mapping));
	if (count == 0 || address < mapping->start || address >= mapping->end)
		return 0;
	*ret_mapping = *mapping;
	return 1;
}

/* The rule for an address of a mapping with rows; NULL if there is none. */
static __always_inline const struct unwind_rule *find_rule(const struct stack_mapping *mapping,
							   __u64 address)
{
	__u64 offset = address - mapping->base;
	__u64 number = offset >> UNWIND_PAGE_BITS;
	__u32 in_page = offset & ((1 << UNWIND_PAGE_BITS) - 1), low = 0, count, first, row;
	const struct stack_page *page;
	struct segment *segment;

	if (number >= STACK_MAPPING_COUNT(mapping->page_count))
		return NULL;
	segment = find_segment(mapping->pages + (__u32)number * 2);
	if (!segment)
		return NULL;
	page = segment_item(segment, (mapping->pages % STACK_SEGMENT_WORDS) * 4, (__u32)number,
			    sizeof(*page));
	first = page->rows;
	count = page->count;
	segment = find_segment(first);
	if (!segment || count == 0)
		return NULL;
	first = (first % STACK_SEGMENT_WORDS) * 4;
	for (int i = 0; i < ROW_STEPS && count > 1; i++) {
		__u32 half = count / 2;

		row = *(__u32 *)segment_item(segment, first, low + half, 4);
		low += half & (__u32)not_above(UNWIND_ROW_OFFSET(row), in_page);
		count -= half;
	}
	row = *(__u32 *)segment_item(segment, first, low, 4);
	return STACK_RULE(UNWIND_ROW_RULE(row) & (STACK_MAX_RULES - 1));
}

#endif
