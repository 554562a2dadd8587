/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/record_output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/output_file.h"
#include "base/xalloc.h"
#include "store/state_files.h"
#include "store/store.h"

/* Replaces an existing file only if it is a profile or empty: -o must not destroy other files. */
static int clear_output(const char *path, struct err *err)
{
	struct stat st;
	int rc;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0 : err_set(err, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EEXIST,
			       "%s exists and is not a regular file: choose another name", path);
	rc = st.st_size ? store_is_profile(path) : 1;
	if (rc < 0)
		return err_set(err, rc, "%s: %s", path, strerror(-rc));
	if (rc == 0)
		return err_set(err, -EEXIST,
			       "%s exists and is not a prospect profile: choose another name",
			       path);
	return store_remove(path, err);
}

static int create_file(struct record_output *output, struct profile *profile, struct err *err)
{
	int rc = clear_output(output->path, err);

	return rc < 0 ? rc : store_create(output->path, profile, &output->writer, err);
}

/* Uses the owner's rights. If only root may write there, creates the file as root and hands it
 * over, provided that no user can make the name refer to another file meanwhile. */
static int create_owned(struct record_output *output, struct profile *profile, struct err *err)
{
	struct owner *owner = &output->owner;
	int rc;

	owner_begin(owner);
	rc = create_file(output, profile, err);
	owner_end(owner);
	if (rc != -EACCES || !owner->other || !owner_root_alone(output->path))
		return rc;
	rc = create_file(output, profile, err);
	if (rc == 0 && lchown(output->path, owner->uid, owner->gid) < 0)
		rc = err_set(err, -errno, "cannot change the owner of %s: %s", output->path,
			     strerror(errno));
	owner->other = false; /* from here on root writes it */
	return rc;
}

/* Without a state folder the report is still made, from a file that is removed afterwards, in a new
 * folder that only its owner can enter. Under sudo TMPDIR may be a folder of the user's, so it is
 * not used. */
static int use_temporary(struct record_output *output, const char *why, struct err *err)
{
	const char *wanted = output->owner.other ? NULL : secure_getenv("TMPDIR");
	char folder[sizeof(output->path) - sizeof("/profile.prof")];

	snprintf(folder, sizeof(folder), "%s/prospect-XXXXXX",
		 wanted && wanted[0] == '/' ? wanted : "/tmp");
	if (!mkdtemp(folder))
		return err_set(err, -errno,
			       "%s, and cannot write to %s either: %s; choose a file with -o", why,
			       folder, strerror(errno));
	snprintf(output->path, sizeof(output->path), "%s/profile.prof", folder);
	snprintf(output->note, sizeof(output->note), "the profile will not be kept: %s", why);
	output->temporary = true;
	output->owner.other = false;
	return 0;
}

void record_output_remove_temporary(const char *path)
{
	_cleanup_free_ char *folder = xstrdup(path);

	unlink(path);
	*strrchr(folder, '/') = '\0';
	rmdir(folder);
}

int record_output_check(const char *wanted, struct err *err)
{
	if (wanted && output_file_is_stdout(wanted))
		return err_set(
			err, -EINVAL,
			"-o - is not possible: a profile is rewritten in place; give a file name");
	if (wanted && strlen(wanted) >= sizeof(((struct record_output *)NULL)->path))
		return err_set(err, -ENAMETOOLONG, "-o: file name too long");
	return 0;
}

int record_output_open(struct record_output *output, const char *wanted, struct profile *profile,
		       struct err *err)
{
	struct err why;
	int rc = record_output_check(wanted, err);

	if (rc < 0)
		return rc;
	owner_find(&output->owner);
	if (wanted) {
		snprintf(output->path, sizeof(output->path), "%s", wanted);
	} else if (state_begin(&output->owner, output->path, sizeof(output->path), &why) == 0) {
		output->in_state_folder = true;
	} else {
		rc = use_temporary(output, why.text, err);
	}
	if (rc == 0)
		rc = create_owned(output, profile, err);
	if (rc < 0 && output->temporary)
		record_output_remove_temporary(output->path);
	return rc;
}

int record_output_flush(struct record_output *output, struct err *err)
{
	int rc;

	owner_begin(&output->owner);
	rc = store_flush(output->writer, err);
	owner_end(&output->owner);
	return rc;
}

int record_output_publish(struct record_output *output, struct err *err)
{
	struct store_writer *writer = steal_ptr(output->writer);

	if (!store_is_in_place(writer)) {
		store_writer_free(writer);
		return err_set(err, -ENOENT,
			       "%s was removed, moved or replaced during the recording",
			       output->path);
	}
	if (output->in_state_folder)
		return state_commit(&output->owner, writer, output->path, sizeof(output->path),
				    err);
	store_writer_free(writer);
	return 0;
}

void record_output_remove(const struct record_output *output)
{
	_cleanup_free_ char *journal = xasprintf("%s-journal", output->path);

	owner_begin(&output->owner);
	unlink(journal);
	if (output->temporary)
		record_output_remove_temporary(output->path);
	else
		unlink(output->path);
	owner_end(&output->owner);
}

void record_output_discard(struct record_output *output)
{
	bool ours = output->writer && store_is_in_place(output->writer);

	if (!output->writer)
		return;
	store_writer_free(steal_ptr(output->writer));
	if (!ours)
		return;
	if (output->temporary) {
		record_output_remove_temporary(output->path);
		return;
	}
	owner_begin(&output->owner);
	unlink(output->path);
	owner_end(&output->owner);
}

void record_output_done(struct record_output *output)
{
	if (output->temporary)
		record_output_discard(output);
	else
		store_writer_free(steal_ptr(output->writer));
}
