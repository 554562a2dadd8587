/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "cmd/options/terminal.h"

/* Those that the pager alone deals with. */
static const int left_signals[] = { SIGINT, SIGQUIT, SIGPIPE };

enum { SIGNALS = sizeof(left_signals) / sizeof(left_signals[0]) };

struct pager {
	const char *command; /* NULL: none is wanted */
	bool is_default;     /* not chosen by the user: it may be missing */
	FILE *stream;	     /* to write_out, or standard output */
	bool begun;
	int fd;	       /* where output goes */
	int stderr_fd; /* standard error, while that goes to the pager too; -1: it does not */
	pid_t pid;     /* 0: not running */
};

/* ---- which pager ---- */

static void choose(struct pager *pager)
{
	const char *wanted = secure_getenv("PROSPECT_PAGER");

	if (!wanted)
		wanted = secure_getenv("PAGER");
	pager->is_default = !wanted;
	pager->command = wanted ? wanted : "less";
	if (!*pager->command || strcmp(pager->command, "cat") == 0)
		pager->command = NULL;
}

/* What less and lv need, unless the user has chosen: end if one screen is enough, show colours, leave
 * the output on the screen. Under sudo a pager that root runs opens no shell and no other file. */
static void set_environment(void)
{
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	if (getenv("SUDO_UID"))
		setenv("LESSSECURE", "1", 0);
}

/* True if the words of the command need no shell. */
static bool is_plain(const char *command)
{
	return !command[strcspn(command, "|&;<>()$`\\\"'\t\n*?[#~=%")];
}

/* ---- running it ---- */

/* Returns 0 or an errno. @argv ends with NULL. */
static int spawn(const char *const *argv, int input, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults, none;
	int rc;

	sigemptyset(&none);
	sigemptyset(&defaults);
	for (size_t i = 0; i < SIGNALS; i++)
		sigaddset(&defaults, left_signals[i]);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawnp(ret_pid, argv[0], &actions, &attributes, (char *const *)argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return rc;
}

static int spawn_words(const char *command, int input, pid_t *ret_pid)
{
	_cleanup_free_ char *copy = xstrdup(command);
	VEC(const char *) words = { 0 };
	char *save = NULL;
	int rc;

	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		*vec_push(&words) = word;
	*vec_push(&words) = NULL;
	rc = words.items[0] ? spawn(words.items, input, ret_pid) : ENOENT;
	vec_free(&words);
	return rc;
}

static int spawn_command(const char *command, int input, pid_t *ret_pid)
{
	const char *const shell[] = { "/bin/sh", "-c", command, NULL };

	return is_plain(command) ? spawn_words(command, input, ret_pid)
				 : spawn(shell, input, ret_pid);
}

/* With the pager on the terminal, Ctrl-C is for it; and who leaves it early wants no more output,
 * which is no reason to die. */
static void leave_signals(struct sigaction *ret_before)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(left_signals[i], &ignore, &ret_before[i]);
}

static void take_signals(const struct sigaction *before)
{
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(left_signals[i], &before[i], NULL);
}

/* Messages go to the pager as well: on the terminal they would be written over. */
static void take_messages(struct pager *pager)
{
	if (!isatty(STDERR_FILENO))
		return;
	pager->stderr_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (pager->stderr_fd >= 0)
		dup2(pager->fd, STDERR_FILENO);
}

static void return_messages(struct pager *pager)
{
	if (pager->stderr_fd < 0)
		return;
	dup2(pager->stderr_fd, STDERR_FILENO);
	close(pager->stderr_fd);
}

static void begin(struct pager *pager)
{
	struct sigaction before[SIGNALS];
	int ends[2], rc;

	pager->begun = true;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	set_environment();
	leave_signals(before);
	rc = spawn_command(pager->command, ends[0], &pager->pid);
	close(ends[0]);
	if (rc == 0) {
		pager->fd = ends[1];
		take_messages(pager);
		return;
	}
	pager->pid = 0;
	take_signals(before);
	close(ends[1]);
	if (!pager->is_default)
		terminal_say("prospect: cannot run the pager '%s': %s", pager->command,
			     strerror(rc));
}

/* ---- the stream ---- */

/* A pager that has ended takes the rest without a word. */
static ssize_t write_out(void *context, const char *bytes, size_t size)
{
	struct pager *pager = context;
	size_t done = 0;

	if (!pager->begun)
		begin(pager);
	while (done < size) {
		ssize_t count = write(pager->fd, bytes + done, size - done);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return pager->pid && errno == EPIPE ? (ssize_t)size : 0;
		done += (size_t)count;
	}
	return (ssize_t)size;
}

struct pager *pager_new(bool wanted)
{
	const cookie_io_functions_t functions = { .write = write_out };
	struct pager *pager = xcalloc(1, sizeof(*pager));
	struct terminal terminal;

	*pager = (struct pager){ .stream = stdout, .fd = STDOUT_FILENO, .stderr_fd = -1 };
	terminal_ask(stdout, &terminal);
	if (wanted && terminal.redraws)
		choose(pager);
	if (pager->command)
		pager->stream = fopencookie(pager, "w", functions);
	if (!pager->stream)
		pager->stream = stdout;
	return pager;
}

FILE *pager_stream(struct pager *pager)
{
	return pager->stream;
}

void pager_free(struct pager *pager)
{
	int status;

	if (!pager)
		return;
	if (pager->stream != stdout)
		fclose(pager->stream);
	if (pager->pid) {
		return_messages(pager);
		close(pager->fd);
		while (waitpid(pager->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	free(pager);
}
