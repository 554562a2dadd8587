/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"

/* In an answer's rc: Linux has no larger errno (MAX_ERRNO). */
enum { LARGEST_ERRNO = 4095 };

bool wire_ask(struct wire_question *question, const char *root, const char *name, size_t *ret_size)
{
	size_t root_size = root ? strlen(root) + 1 : 0, name_size = strlen(name) + 1;

	if (root_size > PATH_MAX || name_size > PATH_MAX)
		return false;
	question->magic = WIRE_MAGIC;
	question->root_size = (uint32_t)root_size;
	question->name_size = (uint32_t)name_size;
	if (root)
		memcpy(question->text, root, root_size);
	memcpy(question->text + root_size, name, name_size);
	*ret_size = offsetof(struct wire_question, text) + root_size + name_size;
	return true;
}

/* True if @text is @size bytes whose last one is the only NUL. */
static bool is_text(const char *text, size_t size)
{
	return size > 0 && memchr(text, '\0', size) == text + size - 1;
}

bool wire_check_question(const struct wire_question *question, size_t size, const char **ret_root,
			 const char **ret_name)
{
	const size_t head = offsetof(struct wire_question, text);
	const char *name;

	if (size < head || size > sizeof(*question) || question->magic != WIRE_MAGIC ||
	    question->kind >= WIRE_KIND_COUNT || question->uid_count > READERS_MOST ||
	    question->root_size > PATH_MAX || question->name_size > PATH_MAX ||
	    head + question->root_size + question->name_size != size)
		return false;
	name = question->text + question->root_size;
	if ((question->root_size && !is_text(question->text, question->root_size)) ||
	    !is_text(name, question->name_size))
		return false;
	*ret_root = question->root_size ? question->text : NULL;
	*ret_name = name;
	return true;
}

bool wire_check_answer(struct wire_answer *answer, size_t size, uint64_t number)
{
	if (size != sizeof(*answer) || answer->magic != WIRE_MAGIC || answer->number != number ||
	    answer->rc > WIRE_AT_WORK || answer->rc < -LARGEST_ERRNO)
		return false;
	answer->reason[sizeof(answer->reason) - 1] = '\0';
	return true;
}

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int wire_send(int socket, const void *bytes, size_t size, int fd)
{
	struct iovec part = { (void *)(uintptr_t)bytes, size };
	union control control = { 0 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	struct cmsghdr *header;

	if (fd >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(header), &fd, sizeof(int));
	}
	while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

/* There is room for one descriptor only; the kernel closes the others. */
static int descriptor_of(struct msghdr *message)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len >= CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(header), sizeof(int));
	return fd;
}

int wire_receive(int socket, void *bytes, size_t room, int *ret_fd)
{
	struct iovec part = { bytes, room };
	union control control = { 0 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	_cleanup_close_ int fd = -1;
	ssize_t got;

	do {
		got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	fd = descriptor_of(&message);
	if (message.msg_flags & MSG_TRUNC)
		return -EMSGSIZE;
	*ret_fd = steal_fd(fd);
	return (int)got;
}

void wire_set_stat(struct wire_answer *answer, const struct stat *st)
{
	answer->device = st->st_dev;
	answer->inode = st->st_ino;
	answer->size = (uint64_t)st->st_size;
	answer->mtime_s = st->st_mtim.tv_sec;
	answer->mtime_ns = st->st_mtim.tv_nsec;
	answer->ctime_s = st->st_ctim.tv_sec;
	answer->ctime_ns = st->st_ctim.tv_nsec;
	answer->uid = st->st_uid;
	answer->mode = st->st_mode;
	answer->nlink = (uint32_t)st->st_nlink;
}

void wire_get_stat(const struct wire_answer *answer, struct stat *st)
{
	*st = (struct stat){ .st_dev = answer->device,
			     .st_ino = answer->inode,
			     .st_size = (off_t)answer->size,
			     .st_uid = answer->uid,
			     .st_mode = answer->mode,
			     .st_nlink = answer->nlink,
			     .st_mtim = { .tv_sec = answer->mtime_s, .tv_nsec = answer->mtime_ns },
			     .st_ctim = { .tv_sec = answer->ctime_s,
					  .tv_nsec = answer->ctime_ns } };
}
