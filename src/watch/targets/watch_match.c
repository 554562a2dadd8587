/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_match.h"

#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "names/spelling/name_pattern.h"

enum {
	MISTYPED_LETTERS = 3, /* similar names differ by up to this, short ones by a third */
	NEAR_NAMES = 4,
};

static struct watch_candidate of_image(struct watch_image *image,
				       const struct listed_function *function)
{
	return (struct watch_candidate){
		.image = image,
		.name = function_list_name(watch_image_functions(image), function->name),
		.module = "",
		.address = function->start,
		.size = function->size,
		.function = function,
	};
}

struct watch_candidate watch_match_at(struct watch_image *image, uint64_t address)
{
	const struct listed_function *function =
		function_list_around(watch_image_functions(image), address);

	return function ? of_image(image, function)
			: (struct watch_candidate){
				  .image = image, .name = "", .module = "", .address = address
			  };
}

struct watch_candidate watch_match_of_kernel(const struct watch_kernel *kernel,
					     const struct watch_kernel_function *function)
{
	return (struct watch_candidate){ .name = watch_kernel_text(kernel, function->name),
					 .module = watch_kernel_text(kernel, function->module),
					 .address = function->address,
					 .size = function->size,
					 .kernel = function };
}

/* The best fits so far. */
struct best {
	struct watch_matches *matches;
	size_t first; /* index of the first of them in the list */
	enum name_fit fit;
};

static void keep(struct best *best, struct demangler *demangler, const char *wanted,
		 const struct watch_candidate *candidate)
{
	struct watch_matches *matches = best->matches;
	size_t count = matches->list.count;
	enum name_fit fit = name_pattern_is_part(candidate->name)
				    ? NAME_FIT_NONE
				    : name_pattern_fit(wanted, candidate->name,
						       demangler_text(demangler, candidate->name));

	if (fit == NAME_FIT_NONE || fit < best->fit)
		return;
	if (fit > best->fit) {
		matches->list.count = count = best->first;
		matches->aliases = 0;
		best->fit = fit;
	}
	/* the list is sorted by address; of several names, the best is first */
	if (count > best->first && matches->list.items[count - 1].address == candidate->address)
		matches->aliases++;
	else
		*vec_push(&matches->list) = *candidate;
}

static bool is_version(const struct function_list *list, const struct listed_function *function,
		       const struct watch_wanted *wanted)
{
	if (wanted->any_version)
		return true;
	if (!wanted->version)
		return !function->old_version;
	return function->version &&
	       strcmp(function_list_name(list, function->version), wanted->version) == 0;
}

void watch_match_image(struct watch_image *image, struct demangler *demangler,
		       const struct watch_wanted *wanted, struct watch_matches *matches)
{
	const struct function_list *list = watch_image_functions(image);
	struct best best = { matches, matches->list.count, NAME_FIT_NONE };

	for (size_t i = 0; i < function_list_count(list); i++) {
		const struct listed_function *function = function_list_at(list, i);
		const struct watch_candidate candidate = of_image(image, function);

		if (is_version(list, function, wanted))
			keep(&best, demangler, wanted->name, &candidate);
	}
}

void watch_match_kernel(struct watch_kernel *kernel, struct demangler *demangler,
			const struct watch_wanted *wanted, struct watch_matches *matches)
{
	struct best best = { matches, matches->list.count, NAME_FIT_NONE };

	for (size_t i = 0; i < watch_kernel_count(kernel); i++) {
		const struct watch_candidate candidate =
			watch_match_of_kernel(kernel, watch_kernel_at(kernel, i));

		if (!wanted->module || strcmp(candidate.module, wanted->module) == 0)
			keep(&best, demangler, wanted->name, &candidate);
	}
}

void watch_matches_done(struct watch_matches *matches)
{
	vec_free(&matches->list);
}

/* ---- near names ---- */

struct near {
	const char *name;
	const char *names[NEAR_NAMES];
	unsigned distances[NEAR_NAMES];
	size_t count;
	unsigned most;
};

static struct near near_to(const char *name)
{
	unsigned third = (unsigned)strlen(name) / 3;

	return (struct near){ .name = name,
			      .most = third < MISTYPED_LETTERS ? third : MISTYPED_LETTERS };
}

static void take_near(struct near *near, const char *name)
{
	unsigned distance = text_distance(near->name, name, near->most);
	size_t at = near->count < NEAR_NAMES ? near->count : NEAR_NAMES - 1;

	if (distance > near->most ||
	    (near->count == NEAR_NAMES && near->distances[NEAR_NAMES - 1] <= distance))
		return;
	for (size_t i = 0; i < near->count; i++) {
		if (strcmp(near->names[i], name) == 0)
			return;
	}
	for (; at > 0 && near->distances[at - 1] > distance; at--) {
		near->names[at] = near->names[at - 1];
		near->distances[at] = near->distances[at - 1];
	}
	near->names[at] = name;
	near->distances[at] = distance;
	near->count += near->count < NEAR_NAMES;
}

static void add_near(const struct near *near, struct buf *names)
{
	for (size_t i = 0; i < near->count; i++)
		buf_printf(names, "%s%s", i ? ", " : "", near->names[i]);
}

void watch_match_near_image(const struct watch_image *image, const char *name, struct buf *names)
{
	const struct function_list *list = watch_image_functions(image);
	struct near near = near_to(name);

	for (size_t i = 0; i < function_list_count(list); i++)
		take_near(&near, function_list_name(list, function_list_at(list, i)->name));
	add_near(&near, names);
}

void watch_match_near_kernel(const struct watch_kernel *kernel, const char *name, struct buf *names)
{
	struct near near = near_to(name);

	for (size_t i = 0; i < watch_kernel_count(kernel); i++)
		take_near(&near, watch_kernel_text(kernel, watch_kernel_at(kernel, i)->name));
	add_near(&near, names);
}

/* ---- where it is ---- */

bool watch_match_place(const struct watch_candidate *candidate, struct buf *place)
{
	const struct line_place *places;
	size_t count;

	if (!candidate->image)
		return false;
	places = line_file_find(watch_image_lines(candidate->image), candidate->address, &count);
	if (count == 0 || !*places[count - 1].file)
		return false;
	buf_printf(place, "%s:%u", file_base(places[count - 1].file),
		   places[count - 1].declared ? places[count - 1].declared
					      : places[count - 1].line);
	return true;
}
