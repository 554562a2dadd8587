/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"

#define SOCKET_NAME "control"
#define GREETING    "prospect 1 "

enum {
	LINE_MAX_BYTES = 2048,
	ANSWER_MAX_BYTES = 64 * 1024,
	PATIENCE_MS = 1000,
	ANSWER_PATIENCE_S = 30, /* stopping takes as long as the last flush */
};

struct client {
	int fd; /* -1: none */
	bool asked;
	bool owner; /* of the history, or root */
	uint64_t until_ns;
	char line[LINE_MAX_BYTES];
	size_t size;
};

struct control {
	int listener;
	struct client clients[CONTROL_CLIENTS];
};

/* A long path is given through the folder's descriptor. */
static int address_of(int folder, struct sockaddr_un *ret_address)
{
	*ret_address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(ret_address->sun_path, sizeof(ret_address->sun_path), "/proc/self/fd/%d/%s",
		 folder, SOCKET_NAME);
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

int control_open(const char *folder, struct control **ret_control, struct err *err)
{
	_cleanup_close_ int directory = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct control *control = xcalloc(1, sizeof(*control));
	struct sockaddr_un address;
	mode_t mask = umask(0117);

	for (size_t i = 0; i < CONTROL_CLIENTS; i++)
		control->clients[i].fd = -1;
	control->listener = address_of(directory, &address);
	unlinkat(directory, SOCKET_NAME, 0);
	if (control->listener >= 0 &&
	    (bind(control->listener, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	     listen(control->listener, CONTROL_CLIENTS) < 0 ||
	     fcntl(control->listener, F_SETFL, O_NONBLOCK) < 0)) {
		close(control->listener);
		control->listener = -1;
	}
	umask(mask);
	if (control->listener < 0) {
		free(control);
		return err_set(err, -errno, "cannot listen in %s: %s", folder, strerror(errno));
	}
	*ret_control = control;
	return 0;
}

static void leave(struct client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	*client = (struct client){ .fd = -1 };
}

void control_close(struct control *control)
{
	if (!control)
		return;
	for (size_t i = 0; i < CONTROL_CLIENTS; i++)
		leave(&control->clients[i]);
	close(control->listener);
	free(control);
}

void control_poll(const struct control *control, struct pollfd *polls)
{
	bool full = true;

	for (size_t i = 0; i < CONTROL_CLIENTS; i++) {
		const struct client *client = &control->clients[i];

		polls[i] =
			(struct pollfd){ .fd = client->asked ? -1 : client->fd, .events = POLLIN };
		full = full && client->fd >= 0;
	}
	polls[CONTROL_CLIENTS] =
		(struct pollfd){ .fd = full ? -1 : control->listener, .events = POLLIN };
}

/* What does not fit into the socket's buffer is for a client that does not read. */
static void answer(struct client *client, const struct buf *text)
{
	(void)!send(client->fd, text->bytes, text->size, MSG_DONTWAIT | MSG_NOSIGNAL);
	leave(client);
}

static void accept_client(struct control *control, uint64_t now_ns)
{
	int fd = accept4(control->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct ucred peer = { .uid = (uid_t)-1 };
	socklen_t size = sizeof(peer);

	if (fd < 0)
		return;
	getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
	for (size_t i = 0; i < CONTROL_CLIENTS; i++) {
		if (control->clients[i].fd < 0) {
			control->clients[i] =
				(struct client){ .fd = fd,
						 .owner = peer.uid == 0 || peer.uid == geteuid(),
						 .until_ns = now_ns + PATIENCE_MS * NS_PER_MS };
			return;
		}
	}
	close(fd);
}

/* True once the line is complete; leaves a client that says something else. */
static bool hear(struct client *client)
{
	ssize_t got = recv(client->fd, client->line + client->size,
			   sizeof(client->line) - 1 - client->size, MSG_DONTWAIT);
	char *end;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (got > 0)
		client->size += (size_t)got;
	client->line[client->size] = '\0';
	end = strchr(client->line, '\n');
	if (end && strncmp(client->line, GREETING, strlen(GREETING)) == 0) {
		*end = '\0';
		return true;
	}
	if (got <= 0 || end || client->size == sizeof(client->line) - 1)
		leave(client);
	return false;
}

void control_serve(struct control *control, uint64_t now_ns,
		   void (*ask)(void *context, const char *verb, bool owner, struct buf *answer),
		   void *context)
{
	accept_client(control, now_ns);
	for (size_t i = 0; i < CONTROL_CLIENTS; i++) {
		_cleanup_(buf_done) struct buf text = { 0 };
		struct client *client = &control->clients[i];

		if (client->fd < 0 || client->asked)
			continue;
		if (!hear(client)) {
			if (client->fd >= 0 && now_ns > client->until_ns)
				leave(client);
			continue;
		}
		client->asked = true;
		ask(context, client->line + strlen(GREETING), client->owner, &text);
		if (text.size)
			answer(client, &text);
	}
}

void control_answer(struct control *control, const char *verb, const char *text)
{
	for (size_t i = 0; i < CONTROL_CLIENTS; i++) {
		_cleanup_(buf_done) struct buf copy = { 0 };

		if (!control->clients[i].asked ||
		    (verb && strcmp(control->clients[i].line + strlen(GREETING), verb) != 0))
			continue;
		buf_add_str(&copy, text);
		answer(&control->clients[i], &copy);
	}
}

/* ---- the client ---- */

static int connect_to(const char *folder, struct err *err)
{
	_cleanup_close_ int directory = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	const struct timeval patience = { .tv_sec = ANSWER_PATIENCE_S };
	struct sockaddr_un address;
	int fd = directory < 0 ? -1 : address_of(directory, &address);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		int reason = errno;

		close(fd);
		errno = reason;
		fd = -1;
	}
	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		return fd;
	}
	if (errno == EACCES || errno == EPERM)
		return err_set(err, -EPERM, "%s: permission denied: run as root", folder);
	return err_set(err, -ESRCH, "nothing records into %s: 'prospect start' begins", folder);
}

static int read_answer(int fd, struct buf *answer)
{
	char piece[4096];
	ssize_t got;

	while ((got = recv(fd, piece, sizeof(piece), 0)) > 0 && answer->size < ANSWER_MAX_BYTES)
		buf_add(answer, piece, (size_t)got);
	return got < 0 ? -errno : 0;
}

int control_ask(const char *folder, const char *verb, struct buf *ret_answer, struct err *err)
{
	_cleanup_free_ char *line = xasprintf(GREETING "%s\n", verb);
	_cleanup_(buf_done) struct buf answer = { 0 };
	_cleanup_close_ int fd = connect_to(folder, err);
	const char *text;

	if (fd < 0)
		return fd;
	if (send(fd, line, strlen(line), MSG_NOSIGNAL) < 0 || read_answer(fd, &answer) < 0)
		return err_set(err, -EIO, "%s: no answer from the supervisor", folder);
	text = buf_text(&answer);
	if (strncmp(text, "ok\n", 3) == 0) {
		buf_add_str(ret_answer, text + 3);
		return 0;
	}
	return err_set(err, -EIO, "%s",
		       strncmp(text, "error\n", 6) == 0 ? text + 6
							: "no answer from the supervisor");
}
