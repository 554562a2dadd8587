/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds lines as options say: the same for every command that shows them. */
#ifndef NAMES_LINES_LINE_SERVICE_H
#define NAMES_LINES_LINE_SERVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/profile.h"
#include "names/lines/lines.h"

/* Texts are borrowed. Zero-initialised: this machine's files, and servers if DEBUGINFOD_URLS names
 * any. */
struct line_options {
	const char *symfs;
	bool symfs_sealed;		     /* as in struct door_root */
	struct foreign *foreign;	     /* as in struct debug_options; NULL: the readers' */
	const struct image_readers *readers; /* as in struct lines_options */
	const char *const *debug_folders;
	size_t debug_folder_count;
	bool debuginfod; /* requested explicitly */
	bool no_cache;	 /* neither read nor write indexes on disk */
	/* called while a server is awaited, and with "" when that ends */
	void (*progress)(void *context, const char *what);
	void *progress_context;
	/* as in struct debug_options */
	void (*opened)(void *context, const char *path, int fd);
	void (*refused)(void *context, const char *path, const char *why);
	void *opened_context;
};

/* Checks that the folders exist. -EINVAL and one line: otherwise a wrong folder would go
 * unnoticed. */
int line_service_check(const struct line_options *options, struct err *err);

/* Lines and what they depend on. */
struct line_service {
	struct debug_files *debug_files;
	struct cache_folder *cache;
	struct lines *lines;
};

/* Never fails: does without what is not available. @profile and the texts of @options are borrowed.
 * @open_image as in struct lines_options; it may be NULL. */
void line_service_start(struct line_service *service, const struct profile *profile,
			const struct line_options *options,
			int (*open_image)(void *context, uint32_t image, struct err *err),
			void *context);
/* Writes new units to the cache. A service that was never started is fine. */
void line_service_stop(struct line_service *service);

#endif
