/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder for a test, gone afterwards. */
#ifndef TEST_BASE_FOLDER_H
#define TEST_BASE_FOLDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

static inline int folder_make(void **state)
{
	char *folder = malloc(64);

	snprintf(folder, 64, "/tmp/test-folder-XXXXXX");
	*state = folder;
	return mkdtemp(folder) ? 0 : -1;
}

static inline int folder_remove(void **state)
{
	file_remove_tree(*state);
	free(*state);
	return 0;
}

/* A test that is given a folder. */
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)

#endif
