/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/lines/line_service.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cache_folder.h"
#include "foreign/door.h"
#include "foreign/foreign.h"

/* Limit for the line indexes of all files together. */
#define MOST_CACHE_BYTES (512ULL << 20)

static int check_folder(struct foreign *foreign, const char *option, const char *path,
			struct err *err)
{
	struct stat st;
	int rc = door_stat(foreign, path, &st);

	if (rc == 0 && !S_ISDIR(st.st_mode))
		rc = -ENOTDIR;
	if (rc == -ETIMEDOUT)
		return err_set(err, -EINVAL, "%s '%s': its file system does not answer", option,
			       path);
	return rc < 0 ? err_set(err, -EINVAL, "%s '%s': %s", option, path, strerror(-rc)) : 0;
}

int line_service_check(const struct line_options *options, struct err *err)
{
	_cleanup_(foreign_freep) struct foreign *foreign = NULL;
	int rc = 0;

	if (options->symfs || options->debug_folder_count)
		foreign = foreign_new((struct pause){ 0 });
	if (options->symfs)
		rc = check_folder(foreign, "--symfs", options->symfs, err);
	for (size_t i = 0; rc == 0 && i < options->debug_folder_count; i++)
		rc = check_folder(foreign, "--debug-dir", options->debug_folders[i], err);
	return rc;
}

void line_service_start(struct line_service *service, const struct profile *profile,
			const struct line_options *options,
			int (*open_image)(void *context, uint32_t image, struct err *err),
			void *context)
{
	const char *servers = secure_getenv("DEBUGINFOD_URLS");
	const struct debug_options debug_options = {
		.symfs = options->symfs,
		.symfs_sealed = options->symfs_sealed,
		.foreign = options->foreign,
		.folders = options->debug_folders,
		.folder_count = options->debug_folder_count,
		.debuginfod = options->debuginfod || (servers && *servers),
		.progress = options->progress,
		.progress_context = options->progress_context,
		.opened = options->opened,
		.refused = options->refused,
		.opened_context = options->opened_context,
	};
	char folder[PATH_MAX];
	struct lines_options lines_options = { .open_image = open_image,
					       .context = context,
					       .readers = options->readers };

	service->debug_files = debug_files_new(&debug_options);
	if (options->no_cache || cache_folder_path("lines", folder, sizeof(folder)) < 0)
		folder[0] = '\0';
	service->cache = cache_folder_new(folder, MOST_CACHE_BYTES);
	lines_options.debug_files = service->debug_files;
	lines_options.cache = service->cache;
	service->lines = lines_new(profile, &lines_options);
}

void line_service_stop(struct line_service *service)
{
	lines_free(service->lines);
	debug_files_free(service->debug_files);
	cache_folder_free(service->cache);
	*service = (struct line_service){ 0 };
}
