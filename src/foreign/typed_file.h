/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that the user named on the command line, where their bytes go to a file of the user's. */
#ifndef FOREIGN_TYPED_FILE_H
#define FOREIGN_TYPED_FILE_H

#include "base/err.h"

/* A descriptor of the regular file at @path for reading, the caller's. Under sudo it is opened with
 * the invoking user's rights; where the user may not search its folder, as root, if nobody but root
 * can change what the name means (owner_root_alone) and the file is the user's. Negative errno and the reason, which begins with no name. */
int typed_file_open(const char *path, struct err *err);

#endif
