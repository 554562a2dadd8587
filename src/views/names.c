/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/views.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "archive/unpacked.h"
#include "base/clock.h"
#include "base/compare.h"
#include "base/output_file.h"
#include "base/owner.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "foreign/door.h"
#include "load/profile_files.h"
#include "names/spelling/demangler.h"
#include "present/safe.h"
#include "store/record_output.h"
#include "store/store.h"

enum { NEW_MODE = 0600 }; /* of a new profile */

struct adding {
	const char *input;
	const struct names_options *options;
	struct store_reader *store; /* while it is open the file does not change */
	struct profile *profile;
	struct totals totals;
	struct image_readers readers;
	uint32_t *before; /* by frame: its symbol before */
	struct late_names names;
};

DEFINE_CLEANUP(struct demangler *, demangler_free);

int names_check(const struct names_options *options, struct err *err)
{
	int rc = record_output_check(options->output, err);

	if (rc == 0)
		rc = line_service_check(&options->lines, err);
	return rc == 0 ? demangler_style_check(options->demangle, err) : rc;
}

/* ---- the profile ---- */

static int load(struct adding *adding, int fd, struct err *err)
{
	int rc = store_open(adding->input, &adding->store, err);

	if (rc == 0 && !store_has_open(fd))
		rc = err_set(err, -ESTALE, "%s was replaced while it was opened: try again",
			     adding->input);
	if (rc == 0 && store_is_live(adding->store))
		rc = err_set(err, -EBUSY, "%s is being recorded: stop that recording first",
			     adding->input);
	if (rc == 0)
		rc = store_load_profile(adding->store, &adding->profile, err);
	if (rc == 0)
		rc = store_load_totals(adding->store, &adding->totals, err);
	return rc;
}

static void adding_done(struct adding *adding)
{
	late_names_done(&adding->names);
	image_readers_done(&adding->readers);
	vec_free(&adding->totals.rows);
	profile_free(adding->profile);
	free(adding->before);
	if (adding->store)
		store_close(adding->store);
}

static void find_names(struct adding *adding)
{
	const struct profile *profile = adding->profile;
	struct line_options lines = adding->options->lines;

	adding->before = xcalloc(profile->frames.count, sizeof(*adding->before));
	for (size_t i = 0; i < profile->frames.count; i++)
		adding->before[i] = profile->frames.items[i].symbol;
	profile_files_readers(profile, &adding->totals, false, &adding->readers);
	lines.readers = &adding->readers;
	profile_files_add_names(adding->profile, &lines, true, adding->options->force,
				&adding->names);
}

/* ---- messages ---- */

static const char *path_of(const struct adding *adding, const struct late_image *row)
{
	return profile_text(adding->profile, adding->profile->images.items[row->image].path);
}

DEFINE_ORDER(by_number, uint32_t, COMPARE(*a, *b))

/* Lists the functions that frames of an image got, each once, with its number of frames. */
static void list_functions(const struct adding *adding, uint32_t image, struct demangler *demangler,
			   struct buf *text)
{
	const struct profile *profile = adding->profile;
	VEC(uint32_t) symbols = { 0 };

	for (size_t i = 1; i < profile->frames.count; i++) {
		const struct frame *frame = &profile->frames.items[i];

		if (frame->image == image && frame->symbol != adding->before[i])
			*vec_push(&symbols) = frame->symbol;
	}
	if (symbols.count)
		qsort(symbols.items, symbols.count, sizeof(*symbols.items), by_number);
	for (size_t i = 0, count; i < symbols.count; i += count) {
		const struct symbol *symbol = &profile->symbols.items[symbols.items[i]];

		for (count = 1; i + count < symbols.count; count++) {
			if (symbols.items[i + count] != symbols.items[i])
				break;
		}
		buf_printf(text, "%12zu  ", count);
		safe_text(text, demangler_text(demangler, profile_text(profile, symbol->name)));
		buf_add_char(text, '\n');
	}
	vec_free(&symbols);
}

static void add_build_id(const struct image *image, struct buf *text)
{
	if (!image->build_id_size)
		return;
	buf_add_str(text, "; build id ");
	text_add_hex(text, image->build_id, image->build_id_size);
}

/* Images by number of named frames, then by number of frames without a name. */
DEFINE_ORDER(by_weight, struct late_image,
	     COMPARE(b->named, a->named) ?: COMPARE(b->nameless, a->nameless) ?:
	     COMPARE(a->image, b->image))

static void describe_image(const struct adding *adding, const struct late_image *row,
			   struct buf *text)
{
	safe_text(text, path_of(adding, row));
	if (row->source) {
		buf_printf(text, ": %" PRIu64 " of %" PRIu64 " frames named from ", row->named,
			   row->nameless);
		safe_text(text, row->source);
		buf_add_str(text, row->forced ? ", which nothing proves to belong to it" : "");
	} else {
		buf_printf(text, ": %" PRIu64 " frame%s without a name: ", row->nameless,
			   row->nameless == 1 ? "" : "s");
		safe_text(text, row->why.text[0] ? row->why.text : "its symbols do not cover them");
		add_build_id(&adding->profile->images.items[row->image], text);
	}
	buf_add_char(text, '\n');
}

static void describe(struct adding *adding, struct buf *text)
{
	const struct names_options *options = adding->options;
	_cleanup_(demangler_freep) struct demangler *demangler =
		demangler_new(demangler_style_by_name(options->demangle));

	if (adding->names.images.count)
		qsort(adding->names.images.items, adding->names.images.count,
		      sizeof(*adding->names.images.items), by_weight);
	for (size_t i = 0; i < adding->names.images.count; i++) {
		describe_image(adding, &adding->names.images.items[i], text);
		if (options->list)
			list_functions(adding, adding->names.images.items[i].image, demangler,
				       text);
	}
}

/* Adds a line for each image that got names, after those of earlier runs. */
static void note_facts(struct adding *adding)
{
	char **fact = &adding->profile->run.names_added;
	_cleanup_(buf_done) struct buf text = { 0 };
	time_t now = (time_t)(clock_read(CLOCK_REALTIME) / NS_PER_S);
	char when[64] = "";
	struct tm tm;

	if (gmtime_r(&now, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &tm);
	buf_add_str(&text, *fact ? *fact : "");
	for (size_t i = 0; i < adding->names.images.count; i++) {
		const struct late_image *row = &adding->names.images.items[i];

		if (!row->named)
			continue;
		buf_printf(&text, "%s%s: %" PRIu64 " frame%s of ", text.size ? "\n" : "", when,
			   row->named, row->named == 1 ? "" : "s");
		safe_text(&text, path_of(adding, row));
		buf_add_str(&text, " from ");
		safe_text(&text, row->source);
		buf_add_str(&text, row->forced ? " by --force: nothing proves that it belongs"
					       : ", which has the same build id");
	}
	profile_set_text(fact, buf_text(&text));
}

/* ---- writing ---- */

static bool is_same_file(const char *path, int fd)
{
	struct stat one, other;

	return stat(path, &one) == 0 && fstat(fd, &other) == 0 && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino;
}

/* Checks with its owner's rights that a new profile may have this name. */
static int check_new(const char *path, struct err *err)
{
	_cleanup_free_ char *journal = xasprintf("%s-journal", path);
	struct stat there;

	if (lstat(journal, &there) == 0)
		return err_set(err, -EEXIST,
			       "%s is there and would be taken for a part of the new file: remove "
			       "it or choose another name",
			       journal);
	if (stat(path, &there) < 0)
		return 0;
	if (there.st_size && store_is_profile(path) <= 0)
		return err_set(err, -EEXIST,
			       "%s exists and is not a prospect profile; choose another name",
			       path);
	if (store_is_recording(path))
		return err_set(err, -EBUSY,
			       "%s is being recorded: stop that recording, or name another file",
			       path);
	return 0;
}

static int check_output(const char *path, struct err *err)
{
	struct owner owner;
	int rc;

	owner_find(&owner);
	owner_begin(&owner);
	rc = check_new(path, err);
	owner_end(&owner);
	return rc;
}

static int fill(struct adding *adding, const char *path, FILE *stream, struct err *err)
{
	int rc = store_write_copy(adding->store, adding->profile, stream, err);

	return rc && ferror(stream) ? err_set(err, rc, "cannot write %s: %s", path, strerror(-rc))
				    : rc;
}

/* @fd: the profile that was read. */
static int write_file(struct adding *adding, const char *path, int fd, struct err *err)
{
	bool in_place = is_same_file(path, fd);
	_cleanup_(output_file_freep) struct output_file *file = NULL;
	int rc = in_place ? 0 : check_output(path, err);

	if (rc == 0)
		rc = output_file_open_mode(path, in_place ? 0 : NEW_MODE, &file, err);
	if (rc == 0 && !output_file_replaces(file))
		rc = err_set(err, -EPERM,
			     "%s cannot be replaced: it has several names, belongs to another "
			     "user, or its folder may not be written; name a new file with -o",
			     path);
	if (rc < 0)
		return rc;
	if (in_place && store_find_origin(adding->profile) >= 0)
		store_note_origin_of(adding->profile, fileno(output_file_stream(file)));
	rc = fill(adding, path, output_file_stream(file), err);
	if (rc == 0 && in_place && !is_same_file(path, fd))
		rc = err_set(err, -ESTALE, "%s was replaced meanwhile: try again", path);
	return rc < 0 ? rc : output_file_commit(file, err);
}

static int add(struct adding *adding, int fd, struct names_result *result, struct err *err)
{
	const char *output = adding->options->output;
	int rc = load(adding, fd, err);

	if (rc < 0)
		return rc;
	find_names(adding);
	describe(adding, &result->text);
	result->named = adding->names.named;
	if (result->named)
		note_facts(adding);
	if (!result->named && !output)
		return 0;
	rc = write_file(adding, output ? output : adding->input, fd, err);
	result->written = rc == 0;
	return rc;
}

int names_run(const char *input, const struct names_options *options,
	      struct names_result *ret_result, struct err *err)
{
	struct adding adding = { .input = input, .options = options };
	_cleanup_close_ int fd = -1;
	int rc;

	*ret_result = (struct names_result){ .named = 0 };
	rc = names_check(options, err);
	if (rc < 0)
		return rc;
	fd = door_open_typed(input, err);
	if (fd < 0)
		return err_prefix(err, fd, "cannot open %s", input);
	if (unpacked_is_archive(input))
		return err_set(err, -EINVAL,
			       "%s is an archive: add names to the profile before it is packed",
			       input);
	/* closing any descriptor of the file drops SQLite's locks, so ours is closed last */
	rc = add(&adding, fd, ret_result, err);
	adding_done(&adding);
	return rc;
}
