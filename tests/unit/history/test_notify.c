/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history/notify.h"

#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/folder.h"

/* Binds where systemd would listen. @path: as in NOTIFY_SOCKET. */
static int listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	memcpy(address.sun_path, path, strlen(path));
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	assert_int_equal(bind(fd, (struct sockaddr *)&address,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path))),
			 0);
	return fd;
}

static void expect_heard(const char *path)
{
	char text[32];
	int fd = listen_at(path);

	setenv("NOTIFY_SOCKET", path, 1);
	notify("READY=1");
	assert_int_equal(recv(fd, text, sizeof(text), 0), strlen("READY=1"));
	assert_memory_equal(text, "READY=1", strlen("READY=1"));
	close(fd);
}

static void test_notify(void **state)
{
	char path[200];

	unsetenv("NOTIFY_SOCKET");
	notify("READY=1");
	snprintf(path, sizeof(path), "%s/socket", (const char *)*state);
	expect_heard(path);
	snprintf(path, sizeof(path), "@test-notify-%d", getpid());
	expect_heard(path);
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	setenv("NOTIFY_SOCKET", path, 1);
	notify("READY=1");
	setenv("NOTIFY_SOCKET", "/nowhere/socket", 1);
	notify("READY=1");
}

int main(void)
{
	const struct CMUnitTest tests[] = { WITH_FOLDER(test_notify) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
