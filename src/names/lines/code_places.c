/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/lines/code_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "elf/elf_symbols.h"

/* The vote of one function: where its section begins in the profile. */
struct vote {
	const struct elf_section *section;
	uint64_t start;
};

typedef VEC(struct vote) vote_list;

/* A function of the profile. */
struct named {
	const char *name;
	uint64_t start;
};

typedef VEC(struct named) named_list;

static int by_name(const void *left, const void *right)
{
	return strcmp(((const struct named *)left)->name, ((const struct named *)right)->name);
}

static void gather_names(const struct profile *profile, uint32_t image, named_list *names)
{
	for (size_t i = 1; i < profile->symbols.count; i++) {
		const struct symbol *symbol = &profile->symbols.items[i];

		if (symbol->image == image && symbol->kind == SYMBOL_NAMED)
			*vec_push(names) = (struct named){ profile_text(profile, symbol->name),
							   symbol->start };
	}
	if (names->count)
		qsort(names->items, names->count, sizeof(*names->items), by_name);
}

/* If several functions have the name, each one votes: only the right votes agree with others. */
static void vote(const struct elf_file *elf, const struct functions *functions,
		 const struct function *function, const named_list *names, vote_list *votes)
{
	const char *name = functions_name(functions, function->name);
	const struct elf_section *section = elf_file_code_section(elf, function->start);
	size_t at = search_before(names->items, names->count, item, strcmp(item->name, name) < 0);

	for (; at < names->count && strcmp(names->items[at].name, name) == 0; at++)
		*vec_push(votes) =
			(struct vote){ section, names->items[at].start -
							(function->start - section->address) };
}

static int by_section(const void *left, const void *right)
{
	const struct vote *a = left, *b = right;

	if (a->section->address != b->section->address)
		return a->section->address < b->section->address ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

/* Adds the place with most votes in a section, unless tied. Returns the index after the section's
 * votes. */
static size_t elect(const vote_list *votes, size_t begin, struct code_places *places)
{
	const struct elf_section *section = votes->items[begin].section;
	size_t best = begin, most = 0, at = begin;
	bool tie = false;

	while (at < votes->count && votes->items[at].section == section) {
		size_t first = at;

		while (at < votes->count &&
		       by_section(&votes->items[first], &votes->items[at]) == 0)
			at++;
		tie = at - first == most || (tie && at - first < most);
		if (at - first > most) {
			most = at - first;
			best = first;
		}
	}
	if (!tie)
		*vec_push(&places->list) =
			(struct code_place){ votes->items[best].start,
					     votes->items[best].start + section->size,
					     section->address };
	return at;
}

static void read_module(const struct elf_file *elf, const struct functions *functions,
			const struct profile *profile, uint32_t image, struct code_places *places)
{
	named_list names = { 0 };
	vote_list votes = { 0 };

	gather_names(profile, image, &names);
	for (size_t i = 0; i < functions->list.count; i++)
		vote(elf, functions, &functions->list.items[i], &names, &votes);
	if (votes.count)
		qsort(votes.items, votes.count, sizeof(*votes.items), by_section);
	for (size_t at = 0; at < votes.count;)
		at = elect(&votes, at, places);
	vec_free(&votes);
	vec_free(&names);
}

/* The kernel's image is contiguous. */
static void read_kernel(const struct functions *functions, struct code_places *places)
{
	for (size_t i = 0; i < functions->list.count; i++) {
		const struct function *function = &functions->list.items[i];

		if (strcmp(functions_name(functions, function->name), "_text") != 0)
			continue;
		*vec_push(&places->list) =
			(struct code_place){ 0, -function->start, function->start };
		return;
	}
}

void code_places_read(const struct elf_file *elf, const struct profile *profile, uint32_t image,
		      struct code_places *ret_places)
{
	struct functions functions = { 0 };
	bool has_symtab;

	*ret_places = (struct code_places){ 0 };
	elf_symbols_read(elf, &functions, &has_symtab);
	if (profile->images.items[image].kind == IMAGE_MODULE)
		read_module(elf, &functions, profile, image, ret_places);
	else
		read_kernel(&functions, ret_places);
	functions_done(&functions);
}

void code_places_done(struct code_places *places)
{
	vec_free(&places->list);
}

bool code_places_to_file(const struct code_places *places, uint64_t address, uint64_t *ret_address)
{
	for (size_t i = 0; i < places->list.count; i++) {
		const struct code_place *place = &places->list.items[i];

		if (address - place->start >= place->end - place->start)
			continue;
		*ret_address = address - place->start + place->address;
		return true;
	}
	return false;
}

bool code_places_from_file(const struct code_places *places, uint64_t address,
			   uint64_t *ret_address)
{
	for (size_t i = 0; i < places->list.count; i++) {
		const struct code_place *place = &places->list.items[i];

		if (address - place->address >= place->end - place->start)
			continue;
		*ret_address = address - place->address + place->start;
		return true;
	}
	return false;
}
