/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/plt.h"

#include <elf.h>
#include <string.h>

#include "base/search.h"
#include "base/xalloc.h"
#include "elf/elf_symbols.h"
#include "elf/plt_slots.h"

static const char *const plt_sections[] = { ".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt" };
static const uint32_t NO_NAME = UINT32_MAX;

struct plt {
	const struct elf_file *file;
	struct functions *functions;
	struct plt_slots slots; /* sorted by place, once the lazy ones have a place */
};

static void read_slots(struct plt *plt)
{
	for (size_t i = 0; i < sizeof(plt_sections) / sizeof(*plt_sections); i++) {
		const struct elf_section *section = elf_file_find(plt->file, plt_sections[i]);
		_cleanup_free_ uint8_t *bytes = NULL;

		if (!section || elf_file_read(plt->file, section, &bytes, NULL) < 0)
			continue;
		plt_slots_decode(plt->file, section, bytes, &plt->slots);
		*vec_push(&plt->functions->list) = (struct function){
			.start = section->address,
			.size = (uint32_t)section->size,
			.name = functions_add_name(plt->functions, plt_sections[i]),
			.rank = FUNCTION_SIZED | FUNCTION_TYPED,
			.kind = FUNCTION_SECTION,
		};
	}
	for (size_t i = 0; i < plt->slots.list.count; i++)
		plt->slots.list.items[i].name = NO_NAME;
}

static uint32_t symbol_name(const struct plt *plt, uint32_t index)
{
	size_t entry = elf_file_is_64(plt->file) ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct reader reader =
		elf_file_reader(plt->file, plt->functions->dynamic, plt->functions->dynamic_size);
	struct elf_symbol symbol;

	if (!plt->functions->dynamic || index == 0 || !reader_bytes(&reader, entry * index))
		return NO_NAME;
	symbol = elf_symbol_next(plt->file, &reader);
	if (reader.bad || symbol.name == 0 || symbol.name >= plt->functions->dynamic_names_size)
		return NO_NAME;
	return plt->functions->dynamic_names + symbol.name;
}

struct relocation {
	uint64_t place, addend;
	uint32_t type, symbol;
};

static struct relocation next_relocation(const struct elf_file *file, struct reader *reader)
{
	uint64_t place = elf_file_word(file, reader);
	uint64_t info = elf_file_word(file, reader);
	uint64_t addend = elf_file_word(file, reader);
	bool is_64 = elf_file_is_64(file);

	return (struct relocation){
		.place = place,
		.addend = addend,
		.type = (uint32_t)(is_64 ? ELF64_R_TYPE(info) : ELF32_R_TYPE(info)),
		.symbol = (uint32_t)(is_64 ? ELF64_R_SYM(info) : ELF32_R_SYM(info)),
	};
}

static bool is_indirect(const struct elf_file *file, uint32_t type)
{
	uint16_t machine = elf_file_machine(file);

	return (machine == EM_X86_64 && type == R_X86_64_IRELATIVE) ||
	       (machine == EM_AARCH64 && type == R_AARCH64_IRELATIVE);
}

static int by_place(const void *left, const void *right)
{
	const struct plt_slot *a = left, *b = right;

	return a->place < b->place ? -1 : a->place > b->place;
}

static int by_resolver(const void *left, const void *right)
{
	const struct plt_slot *a = left, *b = right;

	return a->resolver < b->resolver ? -1 : a->resolver > b->resolver;
}

/* The first slot with this place; the slots are sorted by place. NULL: none. */
static struct plt_slot *find_place(struct plt *plt, uint64_t place)
{
	size_t before = search_before(plt->slots.list.items, plt->slots.list.count, item,
				      item->place < place);

	if (before == plt->slots.list.count || plt->slots.list.items[before].place != place)
		return NULL;
	return &plt->slots.list.items[before];
}

static void apply_relocations(struct plt *plt, struct reader reader)
{
	while (reader_left(&reader) > 0) {
		struct relocation relocation = next_relocation(plt->file, &reader);
		struct plt_slot *slot;

		if (reader.bad)
			return;
		slot = find_place(plt, relocation.place);
		if (!slot)
			continue;
		if (is_indirect(plt->file, relocation.type))
			slot->resolver = relocation.addend;
		else
			slot->name = symbol_name(plt, relocation.symbol);
	}
}

/* A lazy slot gives the index of a .rela.plt entry, which has the place. */
static void place_lazy(struct plt *plt, struct reader all)
{
	size_t entry = elf_file_is_64(plt->file) ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);

	for (size_t i = 0; i < plt->slots.list.count; i++) {
		struct plt_slot *slot = &plt->slots.list.items[i];
		struct reader reader = all;

		if (slot->jump == PLT_NO_JUMP || !reader_bytes(&reader, entry * (size_t)slot->jump))
			continue;
		slot->place = next_relocation(plt->file, &reader).place;
	}
}

static bool all_told(const struct plt *plt)
{
	for (size_t i = 0; i < plt->slots.list.count; i++) {
		const struct plt_slot *slot = &plt->slots.list.items[i];
		bool again = i > 0 && slot[-1].place == slot->place;

		if (slot->name == NO_NAME && !slot->resolver && !again)
			return false;
	}
	return true;
}

static void read_relocations(struct plt *plt, const char *name, bool lazy)
{
	const struct elf_section *section = elf_file_find(plt->file, name);
	_cleanup_free_ uint8_t *bytes = NULL;
	struct reader reader = reader_make("", 0);

	if (section && section->type == SHT_RELA &&
	    elf_file_read(plt->file, section, &bytes, NULL) == 0)
		reader = elf_file_reader(plt->file, bytes, section->size);
	if (lazy) {
		place_lazy(plt, reader);
		qsort(plt->slots.list.items, plt->slots.list.count, sizeof(struct plt_slot),
		      by_place);
	}
	apply_relocations(plt, reader);
}

/* Slots that share a GOT word share its name; only the first of them has it so far. */
static void share_names(struct plt *plt)
{
	for (size_t i = 1; i < plt->slots.list.count; i++) {
		struct plt_slot *slot = &plt->slots.list.items[i];

		if (slot->place != slot[-1].place)
			continue;
		slot->name = slot[-1].name;
		slot->resolver = slot[-1].resolver;
	}
}

/* The slots are sorted by resolver. Slots with the same resolver get the same name. */
static void share_resolvers(struct plt_slot *slots, size_t count)
{
	for (size_t first = 0, end; first < count; first = end) {
		uint32_t name = NO_NAME;

		for (end = first; end < count && slots[end].resolver == slots[first].resolver;
		     end++)
			name = slots[end].name < name ? slots[end].name : name;
		for (size_t i = first; slots[first].resolver && i < end; i++)
			slots[i].name = name;
	}
}

/* Names each slot of an indirect function after the best symbol at its resolver. */
static void name_indirect(struct plt *plt)
{
	struct plt_slot *slots = plt->slots.list.items;
	size_t count = plt->slots.list.count;
	_cleanup_free_ const struct function **best = xcalloc(count, sizeof(*best));

	qsort(slots, count, sizeof(*slots), by_resolver);
	for (size_t i = 0; i < plt->functions->list.count; i++) {
		const struct function *function = &plt->functions->list.items[i];
		struct plt_slot key = { .resolver = function->start };
		struct plt_slot *slot = bsearch(&key, slots, count, sizeof(*slots), by_resolver);
		const struct function **old = slot ? &best[slot - slots] : NULL;

		if (!slot || !slot->resolver || function->kind != FUNCTION_SYMBOL ||
		    (*old && functions_compare(plt->functions, *old, function) <= 0))
			continue;
		*old = function;
		slot->name = function->name;
	}
	share_resolvers(slots, count);
}

static void add_slots(struct plt *plt)
{
	for (size_t i = 0; i < plt->slots.list.count; i++) {
		const struct plt_slot *slot = &plt->slots.list.items[i];

		if (slot->name == NO_NAME)
			continue;
		*vec_push(&plt->functions->list) = (struct function){
			.start = slot->start,
			.size = slot->size,
			.name = slot->name,
			.rank = FUNCTION_SIZED | FUNCTION_TYPED | FUNCTION_GLOBAL,
			.kind = FUNCTION_SLOT,
		};
	}
}

void plt_read(const struct elf_file *file, struct functions *functions)
{
	struct plt plt = { .file = file, .functions = functions };

	read_slots(&plt);
	if (plt.slots.list.count == 0)
		return;
	read_relocations(&plt, ".rela.plt", true);
	if (!all_told(&plt))
		read_relocations(&plt, ".rela.dyn", false);
	share_names(&plt);
	name_indirect(&plt);
	add_slots(&plt);
	vec_free(&plt.slots.list);
}
