/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "proc/proc_scan.h"
#include "watch/targets/watch_call_sites.h"
#include "watch/targets/watch_libraries.h"

enum {
	MOST_IMAGES = 256, /* to search */
	MOST_MAP_PATH = 96,
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

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/map_files/%" PRIx64 "-%" PRIx64, pid,
		 map->start, map->end);
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
		watch_libraries_each(foreign, image, take_library, places);
	}
}

/* ---- call sites ---- */

/* Adds a callee for each name of the address. */
static void add_callee(const struct watch_candidate *candidate, watch_callees *callees)
{
	const struct function_list *list = watch_image_functions(candidate->image);

	for (size_t i = function_list_find(list, candidate->address);
	     i < function_list_count(list) &&
	     function_list_at(list, i)->start == candidate->address;
	     i++)
		*vec_push(callees) = (struct watch_callee){
			.image = candidate->image,
			.address = candidate->address,
			.name = function_list_name(list, function_list_at(list, i)->name),
		};
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

static void add_offsets(struct watch_places *places, const struct watch_image *image,
			const struct buf *offsets, uint8_t go)
{
	const uint64_t *items = (const uint64_t *)(const void *)offsets->bytes;

	for (size_t i = 0; i < offsets->size / sizeof(*items); i++)
		add_place(places, image, items[i], PROBE_PLACE_SITE, go);
}

/* Finds sites of calls of functions with the goroutine layout @go; 0: without goroutines. */
static void find_sites(struct watch_places *places, uint8_t go)
{
	const struct watch_target_list *targets = places->targets;
	watch_callees callees = { 0 };

	for (size_t i = 0; i < targets->list.count; i++) {
		if (probe_target_needs_sites(&targets->list.items[i]) &&
		    targets->list.items[i].go == go)
			add_callee(&targets->made_of.items[i].candidate, &callees);
	}
	for (size_t i = 0; i < places->images.count && callees.count; i++) {
		struct buf offsets = { 0 };

		watch_call_sites_find(places->images.items[i], &callees, &offsets);
		add_offsets(places, places->images.items[i], &offsets, go);
		buf_done(&offsets);
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
		if (targets->list.items[i].go == go && targets->goes.list.items[go - 1].known)
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
	uint8_t go = watch_goes_of(&search->places->targets->goes, search->image, address);
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
	const struct function_list *list = watch_image_functions(image);
	bool shared = is_everybodys(file_base(watch_image_shown(image)));

	if (!places->alone && shared)
		return;
	for (size_t i = 0; i < function_list_count(list); i++) {
		const struct listed_function *function = function_list_at(list, i);

		take_unwinding(&search, function->start, function_list_name(list, function->name));
	}
	if (!places->alone)
		watch_call_sites_slots(image, take_unwinding, &search);
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
	for (size_t go = 0; places->sites && go <= targets->goes.list.count; go++)
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
	if (!places)
		return;
	probes->goes = places->targets->goes.list.items;
	probes->go_count = places->targets->goes.list.count;
	probes->places = places->list.items;
	probes->place_count = places->list.count;
	probes->starts = places->starts.items;
	probes->start_count = places->starts.count;
	probes->may_probe = may_probe;
	probes->may_probe_context = (void *)(uintptr_t)places;
}
