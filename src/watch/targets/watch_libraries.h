/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The libraries that a program or library needs, as ld.so(8) would find them. */
#ifndef WATCH_TARGETS_WATCH_LIBRARIES_H
#define WATCH_TARGETS_WATCH_LIBRARIES_H

#include "watch/targets/watch_image.h"

/* Calls @give for each library that @image needs (DT_NEEDED) and that is found, with its path,
 * borrowed for the call. @foreign: see struct watch_view_of. */
void watch_libraries_each(struct foreign *foreign, const struct watch_image *image,
			  void (*give)(void *context, const char *path), void *context);

#endif
