/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/recorded_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "elf/vdso.h"
#include "resolve/file_search.h"
#include "resolve/kernel_modules.h"

/* Without a build id a file that was rewritten in place has the device and inode it had. */
static bool is_unchanged(const struct image *image, const struct file_identity *identity)
{
	if (image->build_id_size)
		return true;
	return identity->size == image->size && identity->mtime_ns == image->mtime_ns;
}

static int explain(const struct file_search_result *found, struct err *err)
{
	if (found->exhausted)
		return err_set(err, -EMFILE, "too many open files");
	switch (found->reason) {
	case IMAGE_STATE_DENIED:
		return err_set(err, -EACCES, "no permission to open the file");
	case IMAGE_STATE_REPLACED:
		return err_set(err, -ESTALE, "the file was replaced");
	default:
		return err_set(err, -ENOENT, "the file is gone");
	}
}

int recorded_files_open(const struct profile *profile, uint32_t image, struct err *err)
{
	const struct image *row = &profile->images.items[image];
	const struct mapped_file mapped = { .path = profile_text(profile, row->path),
					    .dev = row->dev,
					    .inode = row->inode,
					    .build_id = row->build_id,
					    .build_id_size = row->build_id_size };
	struct file_search_result found = file_search_path(&mapped);
	_cleanup_close_ int fd = found.fd;

	if (fd < 0)
		return explain(&found, err);
	if (!is_unchanged(row, &found.identity))
		return err_set(err, -ESTALE, "the file was rewritten");
	if (!found.identity.elf)
		return err_set(err, -ENOEXEC, "not an ELF file");
	return steal_fd(fd);
}

static bool is_copy_of(const struct image *image, const struct file_identity *identity)
{
	if (!image->build_id_size)
		return identity->size == image->size;
	return identity->build_id.size == image->build_id_size &&
	       memcmp(identity->build_id.bytes, image->build_id, image->build_id_size) == 0;
}

int recorded_files_open_under(const struct profile *profile, const char *root, uint32_t image,
			      struct err *err)
{
	const struct image *row = &profile->images.items[image];
	_cleanup_free_ char *path = xasprintf("%s/%s", root, profile_text(profile, row->path));
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct file_identity identity;

	if (fd < 0)
		return err_set(err, -ENOENT, "it is not among the files of the profile");
	if (file_identity_read(fd, &identity) < 0 || !identity.elf)
		return err_set(err, -ENOEXEC,
			       "what is among the files of the profile is no ELF file");
	if (!is_copy_of(row, &identity))
		return err_set(err, -ESTALE,
			       "what is among the files of the profile is another file");
	return steal_fd(fd);
}

uint32_t recorded_files_kernel(const struct profile *profile)
{
	for (size_t i = 1; i < profile->images.count; i++) {
		if (profile->images.items[i].kind == IMAGE_KERNEL)
			return (uint32_t)i;
	}
	return 0;
}

static bool is_running_kernel(const struct profile *profile)
{
	const struct image *kernel = &profile->images.items[recorded_files_kernel(profile)];
	struct elf_build_id running;

	kernel_modules_build_id("/sys", NULL, &running);
	return running.size && running.size == kernel->build_id_size &&
	       memcmp(running.bytes, kernel->build_id, running.size) == 0;
}

int recorded_files_open_vdso(const struct profile *profile, struct err *err)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t size;
	int rc;

	if (!is_running_kernel(profile))
		return err_set(err, -ESTALE, "another kernel runs now");
	rc = vdso_copy(&bytes, &size, err);
	if (rc < 0)
		return rc;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno, "no memory for the vdso: %s", strerror(errno));
	if (write(fd, bytes, size) != (ssize_t)size)
		return err_set(err, -EIO, "no memory for the vdso");
	return steal_fd(fd);
}
