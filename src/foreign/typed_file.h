/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files named by the user on the command line whose bytes end up in a file of the user's. */
#ifndef FOREIGN_TYPED_FILE_H
#define FOREIGN_TYPED_FILE_H

#include "base/err.h"

/* Opens the regular file at @path for reading; the caller owns the descriptor. Under sudo it is
 * opened with the invoking user's rights. If that user may not search its folder, it is opened as
 * root, provided that only root can change what the name means (owner_root_alone) and the user owns
 * the file. Negative errno with a reason that does not begin with the name. */
int typed_file_open(const char *path, struct err *err);

#endif
