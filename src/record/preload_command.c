/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/preload_command.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "preload/preload_elf.h"

static bool is_program(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0;
}

/* As shells do. The name itself if it finds nothing. */
static char *find_program(const char *word)
{
	const char *at = getenv("PATH");

	while (!strchr(word, '/') && at) {
		size_t length = strcspn(at, ":");
		char *path = length ? xasprintf("%.*s/%s", (int)length, at, word)
				    : xasprintf("./%s", word);

		if (is_program(path))
			return path;
		free(path);
		at = at[length] ? at + length + 1 : NULL;
	}
	return xstrdup(word);
}

static bool has_capabilities(const char *path)
{
	char value[64];

	return getxattr(path, "security.capability", value, sizeof(value)) > 0;
}

enum preload_refusal preload_command_judge(const char *word, char **ret_path)
{
	char *path = find_program(word);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	_Alignas(8) char bytes[PRELOAD_ELF_BYTES];
	ssize_t size = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));
	enum preload_refusal refusal = PRELOAD_REFUSAL_NONE;
	struct stat file;

	*ret_path = path;
	if (size > 0)
		refusal = preload_judge_elf(bytes, (size_t)size);
	if (refusal != PRELOAD_REFUSAL_NONE || stat(path, &file) < 0)
		return refusal;
	if (preload_gains_ids(&file, geteuid(), getegid()) ||
	    (geteuid() != 0 && has_capabilities(path)))
		return PRELOAD_REFUSAL_PRIVILEGED;
	return PRELOAD_REFUSAL_NONE;
}
