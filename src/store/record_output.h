/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file that a recording writes: the one given with -o, or one in the state folder, or, if there
 * is no state folder, a temporary one that is removed after the report was printed.
 */
#ifndef STORE_RECORD_OUTPUT_H
#define STORE_RECORD_OUTPUT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/owner.h"

struct profile;
struct store_writer;

struct record_output {
	struct owner owner;
	char path[4096];
	bool in_state_folder;
	bool temporary;
	char note[640];		     /* why it is temporary; else "" */
	struct store_writer *writer; /* owned */
};

/* Checks that -o FILE (NULL: not given) can name a profile; "-" cannot. 0, or -EINVAL or
 * -ENAMETOOLONG with one line in @err. */
int record_output_check(const char *wanted, struct err *err);
/* @wanted: -o FILE, or NULL. Replaces an existing file only if it is a profile or empty. Fails
 * before anything runs if the file cannot be made or has an invalid name (record_output_check).
 * Under sudo it creates the file with the invoking user's rights; or, only where no other user
 * could redirect the name (owner_root_alone), as root, and then hands it over. */
int record_output_open(struct record_output *output, const char *wanted, struct profile *profile,
		       struct err *err);
/* Flushes the writer with the owner's rights (store_flush). */
int record_output_flush(struct record_output *output, struct err *err);
/* Ends a complete recording: closes the file and, in the state folder, renames it to last.prof.
 * -ENOENT: the path no longer leads to the file; what is there now is left alone. */
int record_output_publish(struct record_output *output, struct err *err);
/* Removes the file and its journal with the owner's rights. Any thread of a process that is about
 * to end may call it. */
void record_output_remove(const struct record_output *output);
/* Removes a file that was opened and not published, because nothing was recorded. */
void record_output_discard(struct record_output *output);
/* Removes a profile that is not kept (record_result) and the folder made for it. */
void record_output_remove_temporary(const char *path);
/* Releases everything. An unpublished file stays as of its last flush, unless it is temporary. */
void record_output_done(struct record_output *output);

#endif
