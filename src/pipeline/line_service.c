/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/line_service.h"

#include <limits.h>
#include <stdlib.h>

#include "pipeline/cache_place.h"

/* What the indexes of lines of all files together may take. */
#define MOST_CACHE_BYTES (512ULL << 20)

void line_service_start(struct line_service *service, const struct profile *profile,
			const struct line_options *options,
			int (*open_image)(void *context, uint32_t image, struct err *err),
			void *context)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	const struct debug_options debug_options = {
		.symfs = options->symfs,
		.folders = options->debug_folders,
		.folder_count = options->debug_folder_count,
		.debuginfod = options->debuginfod || (servers && *servers),
		.progress = options->progress,
		.progress_context = options->progress_context,
		.opened = options->opened,
		.opened_context = options->opened_context,
	};
	char folder[PATH_MAX];
	struct lines_options lines_options = { .open_image = open_image, .context = context };

	service->debug_files = debug_files_new(&debug_options);
	if (options->no_cache || cache_place("lines", folder, sizeof(folder)) < 0)
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
