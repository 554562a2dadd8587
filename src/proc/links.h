/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Links to an executable. One executable may have several names (sh and dash, the applets of
 * BusyBox), and the name by which a program was started tells more than the file's own.
 */
#ifndef PROC_LINKS_H
#define PROC_LINKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct foreign;

/* The file that links must lead to. */
struct link_end {
	struct foreign *foreign; /* looks at what may not answer, borrowed; NULL: look directly */
	int32_t pid;		 /* links are looked up as this process does; 0: as we do */
	dev_t dev;
	ino_t inode;
};

/* The name of a link to the file: @name itself or, if @is_cut, the only name that begins with it.
 * Looks in the folder of each of @paths, which NULL ends, and in those of PATH. The caller frees
 * it. NULL: there is none, or several. */
char *links_find(const struct link_end *end, const char *const *paths, const char *name,
		 bool is_cut);

#endif
