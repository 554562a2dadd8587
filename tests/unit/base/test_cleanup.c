/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/cleanup.h"

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0 || errno != EBADF;
}

static int open_null(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* The cleanup runs at the end of the scope; what it closed is really gone. */
static void a_scope_closes_what_it_owns(void **state)
{
	int number;

	{
		_cleanup_close_ int fd = open_null();

		number = fd;
		assert_true(is_open(number));
	}
	assert_false(is_open(number));
}

static void streams_and_folders_too(void **state)
{
	int stream_fd, folder_fd;

	{
		_cleanup_fclose_ FILE *stream = fopen("/dev/null", "r");
		_cleanup_closedir_ DIR *folder = opendir("/");

		stream_fd = fileno(stream);
		folder_fd = dirfd(folder);
		assert_true(is_open(stream_fd) && is_open(folder_fd));
	}
	assert_false(is_open(stream_fd));
	assert_false(is_open(folder_fd));
}

static int give_away(void)
{
	_cleanup_close_ int fd = open_null();

	return steal_fd(fd);
}

static char *give_memory_away(void)
{
	_cleanup_free_ char *memory = malloc(8);

	return steal_ptr(memory);
}

static void stolen_things_live_on(void **state)
{
	int fd = give_away();
	char *memory = give_memory_away();

	assert_true(is_open(fd));
	close(fd);
	memory[7] = 'x';
	free(memory);
}

static void nothing_owned_is_fine(void **state)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *memory = NULL;
	_cleanup_fclose_ FILE *stream = NULL;
	_cleanup_closedir_ DIR *folder = NULL;

	assert_true(fd < 0 && !memory && !stream && !folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scope_closes_what_it_owns),
		cmocka_unit_test(streams_and_folders_too),
		cmocka_unit_test(stolen_things_live_on),
		cmocka_unit_test(nothing_owned_is_fine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
