/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the tests of this folder: the compiler and the binary utilities as oracles. */
#ifndef TESTS_UNIT_RESOLVE_TOOLS_H
#define TESTS_UNIT_RESOLVE_TOOLS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/cleanup.h"

enum { TOOLS_PATH = 512 };

/* Runs a shell command; its output replaces what is in @out. Returns its exit status. */
static inline int __attribute__((format(printf, 2, 3)))
tools_run(struct buf *out, const char *format, ...)
{
	char command[4096], chunk[4096];
	va_list args;
	FILE *pipe;
	size_t got;
	int status;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	buf_clear(out);
	pipe = popen(command, "re");
	assert_non_null(pipe);
	while ((got = fread(chunk, 1, sizeof(chunk), pipe)) > 0)
		buf_add(out, chunk, got);
	status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static inline bool tools_have(const char *tool)
{
	struct buf out = { 0 };
	int rc = tools_run(&out, "command -v %s", tool);

	buf_done(&out);
	return rc == 0;
}

/* A folder of its own for the test; removed by tools_remove. */
static inline char *tools_folder(void)
{
	char name[] = "/tmp/prospect-test-XXXXXX";

	assert_non_null(mkdtemp(name));
	return strdup(name);
}

static inline void tools_remove(char *folder)
{
	struct buf out = { 0 };

	tools_run(&out, "rm -rf '%s'", folder);
	buf_done(&out);
	free(folder);
}

static inline int tools_set_up(void **state)
{
	*state = tools_folder();
	return 0;
}

static inline int tools_tear_down(void **state)
{
	tools_remove(*state);
	return 0;
}

static inline void tools_write(const char *path, const void *bytes, size_t size)
{
	_cleanup_fclose_ FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
}

/* Compiles C or assembler @source to FOLDER/@name; *ret_path gets the path. */
static inline void tools_build(const char *folder, const char *name, const char *language,
			       const char *flags, const char *source, char ret_path[TOOLS_PATH])
{
	char text[TOOLS_PATH];
	struct buf out = { 0 };

	snprintf(ret_path, TOOLS_PATH, "%s/%s", folder, name);
	snprintf(text, sizeof(text), "%s/%s.source", folder, name);
	tools_write(text, source, strlen(source));
	if (tools_run(&out, "gcc -x %s '%s' -x none %s -o '%s' 2>&1", language, text, flags,
		      ret_path))
		fail_msg("gcc %s: %s", flags, buf_text(&out));
	buf_done(&out);
}

/* The next line of *text, ended by a NUL, or NULL. Changes the text. */
static inline char *tools_line(char **text)
{
	char *line = strsep(text, "\n");

	return line && *line ? line : NULL;
}

#endif
