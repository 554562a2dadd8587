/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/xalloc.h"

enum {
	SILENCE_MS = 2000, /* give up after this time without a sign of life */
	WHOLE_MS = 20000,  /* give up after this time in any case */
	PAUSE_MS = 20,
	MOST_STUCK = 8,
	MOST_SIGNS = 256, /* of life that are read at a time */
};

#define PROCESS_PLACE (UINT64_C(1) << 63)
#define FILES_PLACE   (UINT64_C(1) << 62)

struct reading {
	pid_t pid; /* 0: none */
	int socket;
	uint64_t place; /* where it hangs */
};

struct foreign {
	struct pause pause;
	struct mounts *mounts;
	struct reading reading;
	struct reading stuck[MOST_STUCK];
	size_t stuck_count;
	uint64_t number; /* of the last question */
};

struct foreign *foreign_new(struct pause pause)
{
	struct foreign *foreign = xcalloc(1, sizeof(*foreign));

	foreign->pause = pause;
	foreign->mounts = mounts_new();
	if (!foreign->mounts)
		foreign->mounts = mounts_parse("", NULL);
	return foreign;
}

const struct mounts *foreign_mounts(struct foreign *foreign)
{
	mounts_refresh(foreign->mounts);
	return foreign->mounts;
}

uint64_t foreign_process_place(int32_t pid)
{
	return PROCESS_PLACE | (uint32_t)pid;
}

uint64_t foreign_files_place(int32_t pid)
{
	return PROCESS_PLACE | FILES_PLACE | (uint32_t)pid;
}

/* ---- reader processes ---- */

/* Kills a reader without waiting for it: one that hangs may end much later, after we have ended. */
static void end_reading(struct reading *reading)
{
	if (reading->pid <= 0)
		return;
	close(reading->socket);
	kill(reading->pid, SIGKILL);
	waitpid(reading->pid, NULL, WNOHANG);
	reading->pid = 0;
}

void foreign_free(struct foreign *foreign)
{
	if (!foreign)
		return;
	end_reading(&foreign->reading);
	for (size_t i = 0; i < foreign->stuck_count; i++)
		end_reading(&foreign->stuck[i]);
	mounts_free(foreign->mounts);
	free(foreign);
}

/* Closes everything that another process may wait for: the reader of a pipe of ours would wait for
 * a reader process that hangs. */
static bool drop_descriptors(int socket)
{
	int nothing = open("/dev/null", O_RDWR);

	if (nothing < 0)
		nothing = open("/", O_PATH); /* a bare root has no /dev */
	if (nothing < 0)
		return false;
	for (int fd = 0; fd < FOREIGN_SOCKET; fd++) {
		if (dup2(nothing, fd) < 0)
			return false;
	}
	if (socket == FOREIGN_SOCKET ? fcntl(socket, F_SETFD, 0) < 0
				     : dup2(socket, FOREIGN_SOCKET) < 0)
		return false;
	if (syscall(SYS_close_range, FOREIGN_SOCKET + 1, ~0U, 0) < 0) {
		for (int fd = FOREIGN_SOCKET + 1; fd < sysconf(_SC_OPEN_MAX); fd++)
			close(fd);
	}
	return true;
}

/* Between fork and exec makes only system calls, because other threads may hold locks. */
static void become_reader(int socket, pid_t parent) __attribute__((noreturn));
static void become_reader(int socket, pid_t parent)
{
	char name[] = "prospect", option[] = FOREIGN_OPTION;
	char *argv[] = { name, option, NULL };
	sigset_t none;

	setsid(); /* Ctrl-C must not reach it */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpriority(PRIO_PROCESS, 0, 0);
	if (getppid() == parent && drop_descriptors(socket) && chdir("/") == 0)
		execve("/proc/self/exe", argv, environ);
	_exit(1);
}

static int start(struct foreign *foreign)
{
	pid_t parent = getpid();
	int ends[2];

	if (foreign->reading.pid > 0)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	_cleanup_close_ int ours = ends[0], theirs = ends[1];
	foreign->reading.pid = fork();
	if (foreign->reading.pid < 0) {
		foreign->reading.pid = 0;
		return -errno;
	}
	if (foreign->reading.pid == 0)
		become_reader(theirs, parent);
	foreign->reading.socket = steal_fd(ours);
	return 0;
}

/* ---- readers that hang ---- */

/* True if the reader has answered after all, or has ended. Then its place no longer hangs. */
static bool has_come_back(const struct reading *reading)
{
	struct pollfd ready = { .fd = reading->socket, .events = POLLIN };
	struct wire_answer answer = { .rc = WIRE_AT_WORK };

	for (int i = 0; i < MOST_SIGNS && answer.rc == WIRE_AT_WORK && poll(&ready, 1, 0) > 0;
	     i++) {
		_cleanup_close_ int fd = -1;

		if (wire_receive(reading->socket, &answer, sizeof(answer), &fd) <= 0)
			return true;
	}
	return answer.rc != WIRE_AT_WORK;
}

static void look_at_stuck(struct foreign *foreign)
{
	size_t kept = 0;

	for (size_t i = 0; i < foreign->stuck_count; i++) {
		if (has_come_back(&foreign->stuck[i]))
			end_reading(&foreign->stuck[i]);
		else
			foreign->stuck[kept++] = foreign->stuck[i];
	}
	foreign->stuck_count = kept;
}

static bool hangs(const struct foreign *foreign, uint64_t place)
{
	for (size_t i = 0; i < foreign->stuck_count; i++) {
		if (foreign->stuck[i].place == place)
			return true;
	}
	return false;
}

static int give_up(struct foreign *foreign, uint64_t place, struct err *err)
{
	foreign->reading.place = place;
	foreign->stuck[foreign->stuck_count++] = foreign->reading;
	foreign->reading.pid = 0;
	return err_set(err, -ETIMEDOUT, "its file system did not answer in time");
}

/* ---- questions ---- */

static int send_question(const struct foreign *foreign, const struct foreign_question *asked)
{
	struct wire_question question = { .kind = asked->kind,
					  .number = foreign->number,
					  .limit = asked->limit,
					  .offset = asked->offset,
					  .sealed = asked->root && asked->root->sealed };
	size_t size;

	if (asked->readers) {
		memcpy(question.uids, asked->readers->uids, sizeof(question.uids));
		question.uid_count = asked->readers->count;
		question.anybody = asked->readers->anybody;
	}
	if (!wire_ask(&question, asked->root ? asked->root->path : NULL, asked->name, &size))
		return -ENAMETOOLONG;
	return wire_send(foreign->reading.socket, &question, size, -1);
}

/* Waits for the next packet. -ETIMEDOUT: none came. */
static int hear(const struct foreign *foreign, uint64_t until_ns, struct wire_answer *answer,
		int *ret_fd)
{
	struct pollfd fd = { .fd = foreign->reading.socket, .events = POLLIN };
	int size;

	while (poll(&fd, 1, PAUSE_MS) <= 0) {
		pause_take(&foreign->pause);
		if (clock_ns() > until_ns)
			return -ETIMEDOUT;
	}
	size = wire_receive(fd.fd, answer, sizeof(*answer), ret_fd);
	if (size < 0)
		return size;
	return wire_check_answer(answer, (size_t)size, foreign->number) ? 0 : -EPROTO;
}

static int wait_for(const struct foreign *foreign, struct wire_answer *answer, int *ret_fd)
{
	uint64_t last_ns = clock_ns() + WHOLE_MS * NS_PER_MS;

	for (;;) {
		uint64_t until_ns = clock_ns() + SILENCE_MS * NS_PER_MS;
		_cleanup_close_ int fd = -1;
		int rc = hear(foreign, until_ns < last_ns ? until_ns : last_ns, answer, &fd);

		if (rc < 0)
			return rc;
		if (answer->rc != WIRE_AT_WORK) {
			*ret_fd = steal_fd(fd);
			return 0;
		}
	}
}

/* A copy must be sealed. Otherwise its user could have to wait, or find it truncated. */
static bool is_sealed(int fd)
{
	const int wanted = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK;
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & wanted) == wanted;
}

/* True if the descriptor is safe to read: a sealed copy, or a file on a local mount. */
static bool may_be_read(struct foreign *foreign, int fd, const struct wire_answer *answer,
			uint64_t limit)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size != answer->size)
		return false;
	return answer->copy ? answer->size <= limit && is_sealed(fd)
			    : mounts_device_is_local(foreign_mounts(foreign), st.st_dev);
}

static int take(struct foreign *foreign, const struct wire_answer *answer, int *fd,
		const struct foreign_question *question, struct foreign_answer *ret_answer,
		struct err *err)
{
	bool wants_fd = question->kind != WIRE_STAT;

	if (answer->rc < 0)
		return err_set(err, answer->rc, "%s", answer->reason);
	if (wants_fd != (*fd >= 0) ||
	    (wants_fd && !may_be_read(foreign, *fd, answer, question->limit)))
		return err_set(err, -EPROTO, "invalid reply from the file reader process");
	*ret_answer = (struct foreign_answer){ .fd = steal_fd(*fd), .copy = answer->copy != 0 };
	ret_answer->name = answer->name;
	wire_get_stat(answer, &ret_answer->st);
	return 0;
}

static int ask(struct foreign *foreign, const struct foreign_question *question,
	       struct foreign_answer *ret_answer, struct err *err)
{
	struct wire_answer answer = { 0 };
	_cleanup_close_ int fd = -1;
	int rc = start(foreign);

	if (rc < 0)
		return err_set(err, rc, "cannot start the file reader process: %s", strerror(-rc));
	foreign->number++;
	rc = send_question(foreign, question);
	if (rc == -ENAMETOOLONG)
		return err_set(err, rc, "file name too long");
	if (rc == 0)
		rc = wait_for(foreign, &answer, &fd);
	if (rc == -ETIMEDOUT)
		return give_up(foreign, question->place, err);
	if (rc < 0) {
		end_reading(&foreign->reading);
		return err_set(err, -EIO, "the file reader process died");
	}
	return take(foreign, &answer, &fd, question, ret_answer, err);
}

int foreign_ask(struct foreign *foreign, const struct foreign_question *question,
		struct foreign_answer *ret_answer, struct err *err)
{
	look_at_stuck(foreign);
	if (hangs(foreign, question->place))
		return err_set(err, -ETIMEDOUT, "its file system does not answer");
	if (foreign->stuck_count == MOST_STUCK)
		return err_set(err, -ETIMEDOUT, "too many file systems do not answer");
	return ask(foreign, question, ret_answer, err);
}
