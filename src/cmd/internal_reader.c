/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/internal_reader.h"

#include <string.h>

#include "foreign/serve.h"

bool internal_reader_is_meant(int argc, char **argv)
{
	return argc == 2 && strcmp(argv[1], SERVE_OPTION) == 0;
}

int internal_reader_run(void)
{
	serve_run(SERVE_SOCKET);
	return 0;
}
