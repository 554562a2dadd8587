/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file a recording is made into: the one that was asked for, the state folder's, or, where
 * there is no state folder, a temporary one that goes when its report was printed.
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
	char note[640];		     /* why it is temporary; "" */
	struct store_writer *writer; /* owned */
};

/* Can -o FILE (NULL: not given) be the name of a profile at all? "-" cannot. -EINVAL or
 * -ENAMETOOLONG and one line. */
int record_output_check(const char *wanted, struct err *err);
/* @wanted: -o FILE, or NULL. An existing file is replaced only if it is a profile or empty. Fails
 * before anything runs when the file cannot be made, or is not one (record_output_check). Under
 * sudo it is made with the invoking user's rights, or as root and given to them where only root can
 * have a say (owner_root_alone). */
int record_output_open(struct record_output *output, const char *wanted, struct profile *profile,
		       struct err *err);
/* One transaction, with the owner's rights. */
int record_output_flush(struct record_output *output, struct err *err);
/* The recording is whole: closes the file and, in the state folder, makes it last.prof. -ENOENT:
 * the path does not lead to it any more, and what may be there is left alone. */
int record_output_publish(struct record_output *output, struct err *err);
/* Removes the file and the journal beside it, with the owner's rights, in any thread of a process
 * that is about to end. */
void record_output_remove(const struct record_output *output);
/* Removes a file that was opened and not published: nothing was recorded. */
void record_output_discard(struct record_output *output);
/* Removes a profile that is not kept (record_result) and the folder that was made for it. */
void record_output_remove_temporary(const char *path);
/* Lets go. What was not published stays as of its last flush, unless it was temporary. */
void record_output_done(struct record_output *output);

#endif
