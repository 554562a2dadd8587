/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/recorded_files.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "elf/vdso.h"
#include "place/files/embedded_file.h"
#include "place/files/file_identity.h"
#include "proc/kernel_modules.h"

/* Needed for images without a build id: a file that was rewritten in place keeps its device and
 * inode. */
static bool is_unchanged(const struct image *image, const struct file_identity *identity)
{
	if (image->build_id_size)
		return true;
	return identity->size == image->size && identity->mtime_ns == image->mtime_ns;
}

/* Says in the words of a recording why foreign/door.h did not open the file. */
static int explain(int rc, struct err *err)
{
	if (rc == -ENOENT || rc == -ENOTDIR)
		return err_set(err, rc, "the file no longer exists");
	if (rc == -EINVAL) /* a pipe, a folder */
		return err_set(err, -ESTALE, "the file was replaced");
	return rc;
}

/* Opens the file of a path. If it is the name of an embedded file, that of its container, and
 * *ret_base is where it begins. */
static int open_named(const struct readers *readers, const char *path, struct door_file *ret_file,
		      uint64_t *ret_base, struct err *err)
{
	int fd = door_open_file(readers, NULL, path, ret_file, err);
	_cleanup_free_ char *container = NULL;

	*ret_base = 0;
	if (fd == -ENOENT && embedded_file_parse(path, &container, ret_base))
		fd = door_open_file(readers, NULL, container, ret_file, err);
	return fd;
}

static int open_here(const struct profile *profile, uint32_t image,
		     const struct image_readers *readers, struct err *err)
{
	const struct image *row = &profile->images.items[image];
	const struct mapped_file mapped = { .path = profile_text(profile, row->path),
					    .dev = row->dev,
					    .inode = row->inode,
					    .build_id = row->build_id,
					    .build_id_size = row->build_id_size };
	_cleanup_close_ int fd = -1, embedded = -1;
	struct file_identity identity;
	struct door_file file;
	uint64_t base;

	if (mapped.path[0] != '/')
		return explain(-ENOENT, err);
	fd = open_named(image_readers_of(readers, image), mapped.path, &file, &base, err);
	if (fd < 0)
		return explain(fd, err);
	if (file_identity_read(fd, &file, &identity) < 0)
		return err_set(err, -ESTALE, "the file was replaced");
	if (base)
		embedded = embedded_file_copy(fd, base, &identity);
	if ((base && embedded < 0) || file_identity_prove(&identity, fd, &mapped) != FILE_PROVEN)
		return err_set(err, -ESTALE, "the file was replaced");
	if (!is_unchanged(row, &identity))
		return err_set(err, -ESTALE, "the file was rewritten");
	if (!identity.elf)
		return err_set(err, -ENOEXEC, "not an ELF file");
	return base ? steal_fd(embedded) : steal_fd(fd);
}

static bool is_copy_of(const struct image *image, const struct file_identity *identity)
{
	if (!image->build_id_size)
		return identity->size == image->size;
	return elf_file_build_id_is(&identity->build_id, image->build_id, image->build_id_size);
}

static int open_under(const struct profile *profile, const struct door_root *root, uint32_t image,
		      const struct image_readers *readers, struct err *err)
{
	const struct image *row = &profile->images.items[image];
	_cleanup_close_ int fd = door_open(image_readers_of(readers, image), root,
					   profile_text(profile, row->path), err);
	struct file_identity identity;

	if (fd == -EACCES || fd == -ETIMEDOUT)
		return fd;
	if (fd < 0)
		return err_set(err, -ENOENT, "the profile's files do not include it");
	if (file_identity_read(fd, NULL, &identity) < 0 || !identity.elf)
		return err_set(err, -ENOEXEC, "the copy in the profile's files is not an ELF file");
	if (!is_copy_of(row, &identity))
		return err_set(err, -ESTALE, "the copy in the profile's files is a different file");
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
	return running.size &&
	       elf_file_build_id_is(&running, kernel->build_id, kernel->build_id_size);
}

/* Our own, if the running kernel has the build id of the recorded one. */
static int open_vdso(const struct profile *profile, struct err *err)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t size;
	int rc;

	if (!is_running_kernel(profile))
		return err_set(err, -ESTALE, "a different kernel is running now");
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

int recorded_files_open(const struct profile *profile, const struct door_root *root, uint32_t image,
			const struct image_readers *readers, struct err *err)
{
	if (root && root->path)
		return open_under(profile, root, image, readers, err);
	if (profile->images.items[image].kind == IMAGE_VDSO)
		return open_vdso(profile, err);
	return open_here(profile, image, readers, err);
}
