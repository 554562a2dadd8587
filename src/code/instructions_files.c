/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/instructions_parts.h"

#include <errno.h>
#include <unistd.h>

#include "place/files/recorded_files.h"
#include "place/kernel/vmlinux.h"

static int hold(struct instructions *instructions, int fd)
{
	if (fd < 0)
		return fd;
	if (instructions->fd >= 0)
		close(instructions->fd);
	instructions->fd = fd;
	return fd;
}

int instructions_files_open(void *context, uint32_t image, struct err *err)
{
	struct instructions *instructions = context;
	const struct profile *profile = instructions->profile;
	enum image_kind kind = profile->images.items[image].kind;

	if (instructions->symfs.path && kind != IMAGE_KERNEL)
		return hold(instructions,
			    recorded_files_open_under(profile, &instructions->symfs, image,
						      instructions->readers, err));
	switch (kind) {
	case IMAGE_KERNEL:
		return instructions->vmlinux_fd;
	case IMAGE_VDSO:
		return hold(instructions, recorded_files_open_vdso(profile, err));
	default:
		return hold(instructions,
			    recorded_files_open(profile, image, instructions->readers, err));
	}
}

int instructions_files_open_vmlinux(struct instructions *instructions, const char *path,
				    struct err *err)
{
	if (!instructions->kernel)
		return err_set(err, -EINVAL, "%s: the profile has no kernel code", path);
	return vmlinux_open(path, instructions->profile, instructions->kernel,
			    &instructions->vmlinux_fd, &instructions->vmlinux_shift, err);
}

int instructions_files_open_kernel(struct instructions *instructions, struct err *err)
{
	int rc;

	if (instructions->kernel_tried)
		return instructions->kernel_code ? 0 : -EACCES;
	instructions->kernel_tried = true;
	rc = kernel_code_open(instructions->profile, &instructions->kernel_code, err);
	instructions->kernel_reason = rc == -ESTALE ? "a different kernel is running now"
						    : "cannot read the kernel's code";
	return rc;
}

bool instructions_files_is_changed(struct instructions *instructions, uint32_t frame,
				   uint64_t shift)
{
	if (!kernel_code_changed(instructions->kernel_code,
				 profile_code(instructions->profile, frame), shift))
		return false;
	if (!instructions->note.text[0])
		err_set(&instructions->note, 0,
			"the kernel's code has changed since the recording (patched, traced): it "
			"is shown as it ran");
	return true;
}

void instructions_files_close(struct instructions *instructions)
{
	kernel_code_free(instructions->kernel_code);
	if (instructions->fd >= 0)
		close(instructions->fd);
	if (instructions->vmlinux_fd >= 0)
		close(instructions->vmlinux_fd);
}
