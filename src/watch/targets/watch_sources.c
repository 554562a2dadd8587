/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_sources.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "names/lines/line_search.h"
#include "names/spelling/name_pattern.h"
#include "watch/probes/probe_functions.h"

struct watch_sources {
	struct watch_view_of view;
	const char *module; /* --module; NULL: none */
	struct line_options lines;
	struct profile *profile; /* empty: the line service needs one */
	struct line_service service;
	struct demangler *demangler;
	struct watch_kernel *kernel;   /* NULL: not opened yet */
	struct probe_functions *types; /* of the kernel; NULL: not opened, or it has none */
	bool types_tried;
	VEC(struct watch_image *) images;
};

static const char kernel_word[] = "kernel";

struct watch_sources *watch_sources_new(const struct watch_target_options *options)
{
	struct watch_sources *sources = xcalloc(1, sizeof(*sources));

	sources->view = (struct watch_view_of){ .pid = options->pid,
						.command = options->command,
						.foreign = options->foreign };
	sources->module = options->module;
	sources->lines = options->lines;
	sources->lines.foreign = options->foreign;
	sources->profile = profile_new();
	sources->demangler = demangler_new(DEMANGLER_NORMAL);
	line_service_start(&sources->service, sources->profile, &sources->lines, NULL, NULL);
	return sources;
}

void watch_sources_free(struct watch_sources *sources)
{
	if (!sources)
		return;
	for (size_t i = 0; i < sources->images.count; i++)
		watch_image_free(sources->images.items[i]);
	vec_free(&sources->images);
	watch_kernel_free(sources->kernel);
	probe_functions_free(sources->types);
	line_service_stop(&sources->service);
	demangler_free(sources->demangler);
	profile_free(sources->profile);
	free(sources);
}

struct foreign *watch_sources_foreign(const struct watch_sources *sources)
{
	return sources->view.foreign;
}

struct demangler *watch_sources_demangler(const struct watch_sources *sources)
{
	return sources->demangler;
}

int watch_sources_kernel(struct watch_sources *sources, struct watch_kernel **ret_kernel,
			 struct err *err)
{
	int rc = sources->kernel ? 0 : watch_kernel_new(&sources->kernel, err);

	if (rc == 0)
		*ret_kernel = sources->kernel;
	return rc;
}

int watch_sources_open(struct watch_sources *sources, const char *path, const char *shown,
		       struct watch_image **ret_image, struct err *err)
{
	const struct watch_image_tools tools = { sources->service.debug_files,
						 sources->service.cache, sources->view.foreign };
	int rc;

	for (size_t i = 0; i < sources->images.count; i++) {
		*ret_image = sources->images.items[i];
		if (strcmp(watch_image_path(*ret_image), path) == 0)
			return 0;
	}
	rc = watch_image_open(path, shown, &tools, ret_image, err);
	if (rc == 0)
		*vec_push(&sources->images) = *ret_image;
	return rc;
}

int watch_sources_file(struct watch_sources *sources, const char *name,
		       struct watch_image **ret_image, struct err *err)
{
	struct buf path = { 0 };
	int rc = watch_files_find(&sources->view, name, &path, err);
	/* "libc" is shown as libc.so.6; a path in map_files says nothing */
	bool says_nothing = strstr(buf_text(&path), "/map_files/");

	if (rc == 0)
		rc = watch_sources_open(sources, buf_text(&path),
					file_base(says_nothing ? name : buf_text(&path)), ret_image,
					err);
	buf_done(&path);
	return rc;
}

int watch_sources_program(struct watch_sources *sources, struct watch_image **ret_image,
			  struct err *err)
{
	const struct watch_view_of *view = &sources->view;
	struct buf path = { 0 };
	int rc = watch_files_program(view, &path, err);

	if (rc == 0)
		rc = watch_sources_open(sources, buf_text(&path),
					file_base(view->pid ? buf_text(&path) : view->command),
					ret_image, err);
	buf_done(&path);
	return rc;
}

/* ---- why there is nothing ---- */

/* Searches for places where a function was inlined. */
struct inlined_search {
	const struct watch_sources *sources;
	const char *name;
	struct buf places;
	size_t count;
};

enum { TOLD_PLACES = 6 };

static void take_inlined(void *context, const struct line_unit_inlined *inlined)
{
	struct inlined_search *search = context;
	const char *readable = demangler_text(search->sources->demangler, inlined->function);

	if (name_pattern_fit(search->name, inlined->function, readable) < NAME_FIT_LAST)
		return;
	if (search->count++ < TOLD_PLACES)
		buf_printf(&search->places, "%s%s:%u (0x%lx)", search->count > 1 ? ", " : "",
			   file_base(inlined->call_file), inlined->call_line, inlined->address);
}

/* The function with another version than the wanted one; NULL: none. */
static const struct listed_function *other_version(const struct watch_sources *sources,
						   struct watch_image *image,
						   const struct watch_wanted *wanted)
{
	const struct watch_wanted any = { .name = wanted->name, .any_version = true };
	struct watch_matches matches = { .aliases = 0 };
	const struct listed_function *other = NULL;

	watch_match_image(image, sources->demangler, &any, &matches);
	if (matches.list.count)
		other = matches.list.items[matches.list.count - 1].function;
	watch_matches_done(&matches);
	return other;
}

static int not_of_version(const struct watch_image *image, const struct watch_wanted *wanted,
			  const struct listed_function *other, struct err *err)
{
	const char *shown = watch_image_shown(image);

	if (wanted->version)
		return err_set(err, -ENOENT, "%s has %s, but not version %s of it", shown,
			       wanted->name, wanted->version);
	return err_set(err, -ENOENT,
		       "%s has %s only in an old version, for programs linked long ago: %s:%s@%s",
		       shown, wanted->name, shown, wanted->name,
		       function_list_name(watch_image_functions(image), other->version));
}

static int not_in_image(struct watch_sources *sources, struct watch_image *image,
			const struct watch_wanted *wanted, struct err *err)
{
	struct inlined_search search = { .sources = sources, .name = wanted->name };
	const struct function_list *list = watch_image_functions(image);
	const char *shown = watch_image_shown(image);
	const struct listed_function *other = other_version(sources, image, wanted);
	struct buf near = { 0 };

	if (other)
		return not_of_version(image, wanted, other, err);
	line_search_inlined(watch_image_lines(image), take_inlined, &search);
	watch_match_near_image(image, wanted->name, &near);
	if (search.count)
		err_set(err, -ENOENT,
			"%s: %s is inlined everywhere: at %s%s; watch it there as %s:0xADDRESS or "
			"--at-line FILE:LINE",
			shown, wanted->name, buf_text(&search.places),
			search.count > TOLD_PLACES ? " ..." : "", watch_image_path(image));
	else if (function_list_imports(list, wanted->name))
		err_set(err, -ENOENT,
			"%s only calls %s, which a library defines: watch it there, e.g. "
			"libc.so.6:%s",
			shown, wanted->name, wanted->name);
	else if (near.size)
		err_set(err, -ENOENT, "%s has no function %s; similar: %s", shown, wanted->name,
			buf_text(&near));
	else
		err_set(err, -ENOENT, "%s has no function %s%s", shown, wanted->name,
			function_list_is_complete(list)
				? ""
				: "; it is stripped and no debug file was found, so only exported "
				  "functions have names: give others as FILE:0xADDRESS");
	buf_done(&search.places);
	buf_done(&near);
	return -ENOENT;
}

static int not_in_kernel(const struct watch_kernel *kernel, const struct watch_wanted *wanted,
			 struct err *err)
{
	struct buf near = { 0 };

	watch_match_near_kernel(kernel, wanted->name, &near);
	if (near.size)
		err_set(err, -ENOENT, "%s%s has no function %s; similar: %s",
			wanted->module ? "module " : "the kernel",
			wanted->module ? wanted->module : "", wanted->name, buf_text(&near));
	else
		err_set(err, -ENOENT,
			"%s%s has no function %s: it is misspelt, inlined everywhere, in a module "
			"that is not loaded, or in a program (write FILE:%s)",
			wanted->module ? "module " : "the kernel",
			wanted->module ? wanted->module : "", wanted->name, wanted->name);
	buf_done(&near);
	return -ENOENT;
}

/* ---- finding ---- */

static int find_address(struct watch_image *image, uint64_t address, struct watch_matches *matches,
			struct err *err)
{
	uint64_t offset;

	if (!watch_image_offset(image, address, &offset))
		return err_set(err, -ENOENT,
			       "%s has no code at 0x%lx (expected an address as objdump shows it)",
			       watch_image_shown(image), address);
	*vec_push(&matches->list) = watch_match_at(image, address);
	return 0;
}

static int find_in_image(struct watch_sources *sources, struct watch_image *image,
			 const struct watch_word *word, struct watch_matches *matches,
			 struct err *err)
{
	const struct watch_wanted wanted = { .name = word->is_file ? "*" : word->name,
					     .version = word->version };

	if (word->has_address)
		return find_address(image, word->address, matches, err);
	watch_match_image(image, sources->demangler, &wanted, matches);
	return matches->list.count ? 0 : not_in_image(sources, image, &wanted, err);
}

static int find_kernel_address(const struct watch_kernel *kernel, uint64_t address,
			       struct watch_matches *matches, struct err *err)
{
	const struct watch_kernel_function *function = watch_kernel_around(kernel, address);

	if (!function)
		return err_set(err, -ENOENT, "the kernel has no code at 0x%lx", address);
	*vec_push(&matches->list) = watch_match_of_kernel(kernel, function);
	return 0;
}

static int find_in_kernel(struct watch_sources *sources, const struct watch_word *word,
			  const char *module, struct watch_matches *matches, struct err *err)
{
	const struct watch_wanted wanted = { .name = word->name, .module = module };
	struct watch_kernel *kernel = NULL;
	int rc = watch_sources_kernel(sources, &kernel, err);

	if (rc < 0)
		return rc;
	if (word->has_address)
		return find_kernel_address(kernel, word->address, matches, err);
	watch_match_kernel(kernel, sources->demangler, &wanted, matches);
	return matches->list.count ? 0 : not_in_kernel(kernel, &wanted, err);
}

static bool is_module(struct watch_sources *sources, const char *name)
{
	struct watch_kernel *kernel;

	return !strchr(name, '/') && watch_sources_kernel(sources, &kernel, NULL) == 0 &&
	       watch_kernel_has_module(kernel, name);
}

static int find_in_named(struct watch_sources *sources, const char *file,
			 const struct watch_word *word, struct watch_matches *matches,
			 struct err *err)
{
	struct watch_image *image = NULL;
	int rc;

	if (strcmp(file, kernel_word) == 0 || is_module(sources, file))
		return find_in_kernel(sources, word, strcmp(file, kernel_word) == 0 ? NULL : file,
				      matches, err);
	rc = watch_sources_file(sources, file, &image, err);
	return rc < 0 ? rc : find_in_image(sources, image, word, matches, err);
}

/* Neither the program (@why) nor the kernel (@err) has it. The user chose the program, so its
 * reason comes first. */
static int nowhere(const struct err *why, int rc, struct err *err)
{
	struct err of_kernel = *err;

	return err_set(err, rc, "%s; and %s", why->text, of_kernel.text);
}

/* Finds a name without a file: in the kernel, or in the watched program. */
static int find_anywhere(struct watch_sources *sources, const struct watch_word *word,
			 struct watch_matches *matches, struct err *err)
{
	struct watch_image *program = NULL;
	struct watch_matches of_program = { .aliases = 0 };
	struct err why;
	int rc = find_in_kernel(sources, word, NULL, matches, err), found;

	found = watch_sources_program(sources, &program, &why);
	if (found < 0) {
		if (rc < 0 && (sources->view.pid || sources->view.command)) {
			*err = why;
			return found;
		}
		return rc;
	}
	found = find_in_image(sources, program, word, &of_program, &why);
	if (found < 0 && rc == -EACCES) {
		*err = why;
		rc = found;
	} else if (found < 0 && rc == -ENOENT) {
		rc = nowhere(&why, found, err);
	} else if (found == 0 && rc == 0) {
		rc = err_set(err, -ENOTUNIQ,
			     "%s is in the kernel and in %s: write kernel:%s or %s:%s", word->name,
			     watch_image_shown(program), word->name, watch_image_path(program),
			     word->name);
	} else if (found == 0) {
		for (size_t i = 0; i < of_program.list.count; i++)
			*vec_push(&matches->list) = of_program.list.items[i];
		matches->aliases = of_program.aliases;
		rc = 0;
	}
	watch_matches_done(&of_program);
	return rc;
}

int watch_sources_find(struct watch_sources *sources, const struct watch_word *word,
		       struct watch_matches *matches, struct err *err)
{
	if (word->file)
		return find_in_named(sources, word->file, word, matches, err);
	if (sources->module)
		return find_in_named(sources, sources->module, word, matches, err);
	return find_anywhere(sources, word, matches, err);
}

/* ---- words ---- */

void watch_sources_label(const struct watch_sources *sources,
			 const struct watch_candidate *candidate, bool whole, struct buf *label)
{
	const char *readable = demangler_text(sources->demangler, candidate->name);

	if (candidate->image)
		buf_printf(label, "%s:", watch_image_shown(candidate->image));
	else if (*candidate->module)
		buf_printf(label, "%s:", candidate->module);
	if (!*candidate->name)
		buf_printf(label, "0x%lx", candidate->address);
	else if (whole || readable == candidate->name)
		buf_add_str(label, readable);
	else
		name_pattern_bare(readable, true, label);
}

/* If several functions share a name, the kernel's types describe one of them without saying which.
 * The same goes for functions local to a file: the described one may be another of that name that
 * was inlined everywhere (read_zero of 6.1 on arm64, which "returns" KVM's bool). */
struct probe_return watch_sources_returns(struct watch_sources *sources,
					  const struct watch_candidate *candidate)
{
	if (candidate->image)
		return watch_image_returns(candidate->image, candidate->address);
	if (!sources->types_tried)
		(void)probe_functions_new(&sources->types);
	sources->types_tried = true;
	if (!sources->types ||
	    (candidate->kernel && (candidate->kernel->shares_name || !candidate->kernel->global)))
		return (struct probe_return){ .kind = PROBE_RETURN_UNKNOWN };
	return probe_functions_returns(
		sources->types, *candidate->module ? candidate->module : NULL, candidate->name);
}

int watch_sources_code(struct watch_sources *sources, const struct watch_candidate *candidate,
		       struct code_blocks *blocks, struct err *err)
{
	uint64_t end = candidate->address + candidate->size;

	if (candidate->size == 0)
		return err_set(err, -ENODATA, "%s: its end is not known",
			       *candidate->name ? candidate->name : "this address");
	if (candidate->image)
		return watch_image_code(candidate->image, candidate->address, end, blocks, err);
	return watch_kernel_code(sources->kernel, candidate->address, end, blocks, err);
}
