/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_places.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/file.h"
#include "base/search.h"
#include "base/xalloc.h"
#include "elf/plt.h"
#include "elf/symbol_index.h"
#include "foreign/live_task.h"
#include "proc/proc_scan.h"
#include "watch/targets/watch_files.h"

enum {
	MOST_IMAGES = 256, /* to search */
	MOST_MAP_PATH = 96,
	MOST_CODE_BYTES = 256 << 20, /* of a section to search */
	MOST_SITES = 65536,	     /* per image */
};

struct watch_places {
	struct watch_target_list *targets;
	VEC(struct watch_image *) images; /* each file once */
	VEC(struct probe_place) list;
	VEC(struct probe_start) starts;
	bool sites; /* calls of some target end at call sites */
	bool alone; /* one process is watched, so probes do not stop others */
};

/*
 * Functions that run when stacks unwind:
 *
 * - C++ handlers begin with __cxa_begin_catch (Itanium C++ ABI, "Exception Handling").
 * - Rust's std::panic::catch_unwind calls the listed functions of the standard library. In the old
 *   mangling a hash follows the name; in the new one (v0) the name ends there. Where the function
 *   was inlined, its first callee is listed.
 * - A Go function that recovers from a panic continues by running its remaining deferred functions.
 *   Each goroutine ends with the same function, even if it ends within calls
 *   (go:src/runtime/panic.go, proc.go).
 */
static const struct {
	const char *name;
	enum matching { WHOLE, PREFIX, SUFFIX, GO } matching;
	enum probe_place_kind kind;
} unwinding[] = {
	{ "__cxa_begin_catch", WHOLE, PROBE_PLACE_CATCH },
	{ "_ZN3std9panicking3try7cleanup17h", PREFIX, PROBE_PLACE_CATCH },
	{ "_ZN3std9panicking12catch_unwind7cleanup17h", PREFIX, PROBE_PLACE_CATCH },
	{ "9panicking3try7cleanup", SUFFIX, PROBE_PLACE_CATCH },
	{ "9panicking12catch_unwind7cleanup", SUFFIX, PROBE_PLACE_CATCH },
	{ "__rust_panic_cleanup", SUFFIX, PROBE_PLACE_CATCH },
	{ "longjmp", WHOLE, PROBE_PLACE_LONGJMP },
	{ "_longjmp", WHOLE, PROBE_PLACE_LONGJMP },
	{ "siglongjmp", WHOLE, PROBE_PLACE_LONGJMP },
	{ "__longjmp_chk", WHOLE, PROBE_PLACE_LONGJMP },
	{ "runtime.deferreturn", GO, PROBE_PLACE_CATCH },
	{ "runtime.goexit1", GO, PROBE_PLACE_GOEXIT },
};

/* Libraries that all programs use: a probe there would stop unrelated processes. So, unless a
 * single process is watched, the probe goes where the watched programs call them. */
static const char *const everybodys[] = { "libc.",	"libc-",      "libstdc++.", "libc++abi.",
					  "libpthread", "ld-musl",    "ld-linux",   "libm.",
					  "libgcc_s.",	"linux-vdso", "ld-2" };

static bool is_everybodys(const char *name)
{
	for (size_t i = 0; i < sizeof(everybodys) / sizeof(*everybodys); i++) {
		if (strncmp(name, everybodys[i], strlen(everybodys[i])) == 0)
			return true;
	}
	return false;
}

/* ---- which files ---- */

static void add_image(struct watch_places *places, struct watch_image *image)
{
	const struct door_file *file = watch_image_file(image);

	if (places->images.count == MOST_IMAGES)
		return;
	for (size_t i = 0; i < places->images.count; i++) {
		const struct door_file *other = watch_image_file(places->images.items[i]);

		if (other->inode == file->inode && other->device == file->device)
			return;
	}
	*vec_push(&places->images) = image;
}

static void add_path(struct watch_places *places, const char *path, const char *shown)
{
	struct watch_image *image;

	if (places->images.count < MOST_IMAGES && (places->alone || !is_everybodys(shown)) &&
	    watch_sources_open(places->targets->sources, path, shown, &image, NULL) == 0)
		add_image(places, image);
}

static void take_library(void *context, const char *path)
{
	add_path(context, path, file_base(path));
}

static void take_map(void *context, int32_t pid, const struct proc_map *map)
{
	char path[MOST_MAP_PATH];

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/map_files/%" PRIx64 "-%" PRIx64,
		 live_task(pid), map->start, map->end);
	if (map->path[0] == '/')
		add_path(context, path, file_base(map->path));
}

/* True if all images are programs. Then the command's own program is not searched: it may be a
 * shell that only starts them, and probes would stop all other shells. */
static bool are_programs(const struct watch_places *places)
{
	for (size_t i = 0; i < places->images.count; i++) {
		if (!elf_file_find(watch_image_elf(places->images.items[i]), ".interp"))
			return false;
	}
	return true;
}

static void find_images(struct watch_places *places, const struct watch_target_options *options)
{
	struct foreign *foreign = watch_sources_foreign(places->targets->sources);
	const struct proc_visitor visitor = { .map = take_map,
					      .context = places,
					      .foreign = foreign };
	struct watch_image *image;

	for (size_t i = 0; i < places->targets->made_of.count; i++) {
		if (places->targets->made_of.items[i].candidate.image)
			add_image(places, places->targets->made_of.items[i].candidate.image);
	}
	if (places->images.count == 0)
		return;
	if (!are_programs(places) &&
	    watch_sources_program(places->targets->sources, &image, NULL) == 0)
		add_image(places, image);
	if (options->pid)
		proc_scan_one(options->pid, &visitor, NULL);
	for (size_t i = 0; !options->pid && i < places->images.count; i++) {
		image = places->images.items[i];
		watch_files_libraries(foreign, watch_image_elf(image), watch_image_path(image),
				      take_library, places);
	}
}

/* ---- call sites ---- */

/* A called function. All borrowed. */
struct callee {
	const struct watch_image *image; /* that contains it */
	uint64_t address;
	const char *name; /* by which other images import it; each of its names is a callee */
};

typedef VEC(struct callee) callee_vec;

/* The search in one image. */
struct site_search {
	struct watch_places *places;
	struct watch_image *image;
	uint8_t go;
	const callee_vec *callees;
	VEC(uint64_t) addresses;     /* of direct callees, sorted */
	struct symbol_index symbols; /* with the slots of the PLT */
	struct plt_words *words;
	size_t count;
};

static bool is_name(const struct site_search *search, const char *name, size_t length)
{
	for (size_t i = 0; i < search->callees->count; i++) {
		const char *callee = search->callees->items[i].name;

		if (strncmp(callee, name, length) == 0 && !callee[length])
			return true;
	}
	return false;
}

DEFINE_ORDER(by_value, uint64_t, COMPARE(*a, *b))

/* Calls @give for each slot of the PLT, with its ELF address and the plain name of its function,
 * borrowed for the call. */
static void give_slots(const struct symbol_index *symbols,
		       void (*give)(void *context, uint64_t address, const char *name),
		       void *context)
{
	struct buf plain = { 0 };

	for (size_t i = 0; i < symbols->list.count; i++) {
		const struct symbol_entry *slot = &symbols->list.items[i];
		const char *name = symbol_index_name(symbols, slot->name);

		if (slot->source != ENTRY_SLOT)
			continue;
		buf_clear(&plain);
		buf_add(&plain, name, symbol_index_name_length(name));
		give(context, slot->start, buf_text(&plain));
	}
	buf_done(&plain);
}

static void read_slots(const struct watch_image *image, struct symbol_index *symbols)
{
	symbol_index_read(symbols, watch_image_elf(image));
	plt_read(watch_image_elf(image), symbols);
}

static void take_slot(void *context, uint64_t address, const char *name)
{
	struct site_search *search = context;

	if (is_name(search, name, strlen(name)))
		*vec_push(&search->addresses) = address;
}

static void find_addresses(struct site_search *search)
{
	for (size_t i = 0; i < search->callees->count; i++) {
		if (search->callees->items[i].image == search->image)
			*vec_push(&search->addresses) = search->callees->items[i].address;
	}
	give_slots(&search->symbols, take_slot, search);
	if (search->addresses.count)
		qsort(search->addresses.items, search->addresses.count, sizeof(uint64_t), by_value);
}

static bool is_callee(const struct site_search *search, uint64_t address)
{
	size_t before = search_before(search->addresses.items, search->addresses.count, item,
				      *item < address);

	return before < search->addresses.count && search->addresses.items[before] == address;
}

static bool is_callee_word(const struct site_search *search, uint64_t place)
{
	const struct plt_word *word = plt_words_find(search->words, place);
	struct elf_symbol symbol;
	const char *name;

	if (!word || !symbol_index_dynamic(&search->symbols, word->symbol, &symbol))
		return false;
	name = symbol_index_name(&search->symbols, symbol.name);
	return is_name(search, name, symbol_index_name_length(name));
}

static void add_place(struct watch_places *places, const struct watch_image *image, uint64_t offset,
		      enum probe_place_kind kind, uint8_t go)
{
	*vec_push(&places->list) = (struct probe_place){ .path = watch_image_path(image),
							 .device = watch_image_file(image)->device,
							 .inode = watch_image_file(image)->inode,
							 .offset = offset,
							 .kind = kind,
							 .go = go };
}

static void take_site(struct site_search *search, uint64_t address)
{
	uint64_t offset;

	if (search->count >= MOST_SITES || !watch_image_may_return_to(search->image, address) ||
	    !watch_image_offset(search->image, address, &offset))
		return;
	search->count++;
	add_place(search->places, search->image, offset, PROBE_PLACE_SITE, search->go);
}

/* Intel SDM, "CALL": E8 and a distance; FF 15 and the distance of a word with the address. */
static void look_through_x86(struct site_search *search, const struct elf_section *section,
			     const uint8_t *bytes)
{
	enum { NEAR_BYTES = 5, WORD_BYTES = 6 };

	for (uint64_t i = 0; i + WORD_BYTES <= section->size; i++) {
		bool near = bytes[i] == 0xe8;
		uint64_t after = section->address + i + (near ? NEAR_BYTES : WORD_BYTES);
		int32_t distance;

		if (!near && (bytes[i] != 0xff || bytes[i + 1] != 0x15))
			continue;
		memcpy(&distance, bytes + i + (near ? 1 : 2), sizeof(distance));
		if (near ? is_callee(search, after + (uint64_t)(int64_t)distance)
			 : is_callee_word(search, after + (uint64_t)(int64_t)distance))
			take_site(search, after);
	}
}

/* Arm ARM, "BL": 100101 with a distance of 26 bits, in words. */
static void look_through_arm64(struct site_search *search, const struct elf_section *section,
			       const uint8_t *bytes)
{
	enum { WORD_BYTES = 4, LINK = 0x25, DISTANCE_BITS = 26 };

	for (uint64_t i = 0; i + WORD_BYTES <= section->size; i += WORD_BYTES) {
		uint32_t word;
		int32_t distance;

		memcpy(&word, bytes + i, sizeof(word));
		if (word >> DISTANCE_BITS != LINK)
			continue;
		distance = (int32_t)(word << (32 - DISTANCE_BITS)) >> (32 - DISTANCE_BITS);
		if (is_callee(search, section->address + i + (uint64_t)(int64_t)distance * 4))
			take_site(search, section->address + i + WORD_BYTES);
	}
}

static void look_through(struct site_search *search, const struct elf_section *section)
{
	const struct elf_file *elf = watch_image_elf(search->image);
	_cleanup_free_ uint8_t *bytes = NULL;
	uint16_t machine = elf_file_machine(elf);

	if (section->size > MOST_CODE_BYTES || elf_file_read(elf, section, &bytes, NULL) < 0)
		return;
	if (machine == EM_X86_64)
		look_through_x86(search, section, bytes);
	else if (machine == EM_AARCH64)
		look_through_arm64(search, section, bytes);
}

/* Adds where each direct call of a callee returns to. A direct call is by address, through a slot of
 * the PLT or, on x86-64, through a word of the GOT. Only return addresses that
 * watch_image_may_return_to allows. x86-64 and arm64; finds nothing for other machines. */
static void search_image(struct site_search *search)
{
	const struct elf_file *elf = watch_image_elf(search->image);
	const struct elf_section *section;

	read_slots(search->image, &search->symbols);
	find_addresses(search);
	search->words = plt_words_new(elf);
	for (size_t i = 0; (section = elf_file_code(elf, i)); i++)
		look_through(search, section);
	plt_words_free(search->words);
	symbol_index_done(&search->symbols);
	vec_free(&search->addresses);
}

/* Adds a callee for each name of the address. */
static void add_callee(const struct watch_candidate *candidate, callee_vec *callees)
{
	const struct function_list *list = watch_image_functions(candidate->image);

	for (size_t i = function_list_find(list, candidate->address);
	     i < function_list_count(list) &&
	     function_list_at(list, i)->start == candidate->address;
	     i++)
		*vec_push(callees) = (struct callee){
			.image = candidate->image,
			.address = candidate->address,
			.name = function_list_name(list, function_list_at(list, i)->name),
		};
}

/* Finds sites of calls of functions with the goroutine layout @go; 0: without goroutines. */
static void find_sites(struct watch_places *places, uint8_t go)
{
	const struct watch_target_list *targets = places->targets;
	callee_vec callees = { 0 };

	for (size_t i = 0; i < targets->list.count; i++) {
		if (probe_target_needs_sites(&targets->list.items[i]) &&
		    targets->list.items[i].go == go)
			add_callee(&targets->made_of.items[i].candidate, &callees);
	}
	for (size_t i = 0; i < places->images.count && callees.count; i++) {
		struct site_search search = { .places = places,
					      .image = places->images.items[i],
					      .go = go,
					      .callees = &callees };

		search_image(&search);
	}
	vec_free(&callees);
}

/* ---- unwinding ---- */

static bool fits(const char *name, const char *wanted, enum matching matching)
{
	size_t length = strlen(name), wanted_length = strlen(wanted);

	if (matching == PREFIX)
		return strncmp(name, wanted, wanted_length) == 0;
	if (matching == SUFFIX)
		return length >= wanted_length &&
		       strcmp(name + length - wanted_length, wanted) == 0;
	return strcmp(name, wanted) == 0;
}

/* @go: it is Go code. */
static int unwinding_kind(const char *name, bool go)
{
	for (size_t i = 0; i < sizeof(unwinding) / sizeof(*unwinding); i++) {
		if ((unwinding[i].matching == GO) == go &&
		    fits(name, unwinding[i].name, unwinding[i].matching))
			return (int)unwinding[i].kind;
	}
	return -1;
}

/* True if functions with this known goroutine layout are watched. */
static bool is_watched(const struct watch_places *places, uint8_t go)
{
	const struct watch_target_list *targets = places->targets;

	for (size_t i = 0; i < targets->list.count; i++) {
		if (targets->list.items[i].go == go && targets->goes.items[go - 1].known)
			return true;
	}
	return false;
}

static bool is_listed(const struct watch_places *places, size_t first, uint64_t offset)
{
	for (size_t i = first; i < places->list.count; i++) {
		if (places->list.items[i].offset == offset)
			return true;
	}
	return false;
}

/* The search in one image. */
struct unwinding_search {
	struct watch_places *places;
	struct watch_image *image;
	size_t first; /* index of the image's first place */
};

/* Several names may have the same place. */
static void take_unwinding(void *context, uint64_t address, const char *name)
{
	const struct unwinding_search *search = context;
	uint8_t go = watch_target_list_go(search->places->targets, search->image, address);
	int kind = unwinding_kind(name, go);
	uint64_t offset;

	if (kind < 0 || (go && !is_watched(search->places, go)) ||
	    !watch_image_offset(search->image, address, &offset) ||
	    is_listed(search->places, search->first, offset))
		return;
	add_place(search->places, search->image, offset, (enum probe_place_kind)kind, go);
}

/* A PLT slot will do for a function's start: a call through it has the same stack there. */
static void find_unwinding(struct watch_places *places, struct watch_image *image)
{
	struct unwinding_search search = { places, image, places->list.count };
	struct symbol_index symbols = { 0 };
	const struct function_list *list = watch_image_functions(image);
	bool shared = is_everybodys(file_base(watch_image_shown(image)));

	if (!places->alone && shared)
		return;
	for (size_t i = 0; i < function_list_count(list); i++) {
		const struct listed_function *function = function_list_at(list, i);

		take_unwinding(&search, function->start, function_list_name(list, function->name));
	}
	if (places->alone)
		return;
	read_slots(image, &symbols);
	give_slots(&symbols, take_unwinding, &search);
	symbol_index_done(&symbols);
}

/* ---- what threads begin with ---- */

/* A static program contains the C library's code. In glibc, one function calls each thread's start
 * function (glibc:nptl/pthread_create.c). */
static void find_start(struct watch_places *places, const struct watch_image *image)
{
	const struct function_list *list = watch_image_functions(image);
	const struct listed_function *start = NULL;
	struct probe_start found = { .device = watch_image_file(image)->device,
				     .inode = watch_image_file(image)->inode };
	size_t count = 0;
	bool creates = false;

	for (size_t i = 0; i < function_list_count(list); i++) {
		const struct listed_function *function = function_list_at(list, i);
		const char *name = function_list_name(list, function->name);

		creates |= strcmp(name, "pthread_create") == 0;
		if (strcmp(name, "start_thread") != 0)
			continue;
		start = function;
		count++;
	}
	if (!creates || count != 1 || !watch_image_offset(image, start->start, &found.start))
		return;
	found.end = found.start + start->size;
	*vec_push(&places->starts) = found;
}

/* ---- all ---- */

struct watch_places *watch_places_new(struct watch_target_list *targets,
				      const struct watch_target_options *options)
{
	struct watch_places *places = xcalloc(1, sizeof(*places));

	places->targets = targets;
	places->alone = options->alone;
	for (size_t i = 0; i < targets->list.count; i++)
		places->sites |= probe_target_needs_sites(&targets->list.items[i]);
	find_images(places, options);
	for (size_t i = 0; i < places->images.count; i++) {
		find_unwinding(places, places->images.items[i]);
		find_start(places, places->images.items[i]);
	}
	for (size_t go = 0; places->sites && go <= targets->goes.count; go++)
		find_sites(places, (uint8_t)go);
	return places;
}

void watch_places_free(struct watch_places *places)
{
	if (!places)
		return;
	vec_free(&places->images);
	vec_free(&places->list);
	vec_free(&places->starts);
	free(places);
}

/* The path of a call site may be new: the file was mapped after the watch began. */
static bool may_probe(void *context, const char *path, uint64_t offset)
{
	struct watch_places *places = context;
	struct watch_image *image;
	uint64_t address;

	if (watch_sources_open(places->targets->sources, path, file_base(path), &image, NULL) < 0)
		return false;
	return elf_file_address(elf_file_segments(watch_image_elf(image)), offset, &address) &&
	       watch_image_may_return_to(image, address);
}

void watch_places_give(const struct watch_places *places, struct probe_options *probes)
{
	probes->goes = places->targets->goes.items;
	probes->go_count = places->targets->goes.count;
	probes->places = places->list.items;
	probes->place_count = places->list.count;
	probes->starts = places->starts.items;
	probes->start_count = places->starts.count;
	probes->may_probe = may_probe;
	probes->may_probe_context = (void *)(uintptr_t)places;
}
