/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/page_options.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/owner.h"
#include "base/xalloc.h"
#include "cmd/options/output_option.h"

enum {
	BEGINNING = 4096,	  /* bytes of a page that say who made it */
	BROWSER_FAILS_MS = 10000, /* what has not failed by then is taken to work */
	STATUS_NO_PROGRAM = 127,
};

static const char our_mark[] = "<meta name=\"generator\" content=\"prospect\">";

struct page_options page_options_of(const struct page_values *values)
{
	struct page_options options = values->options;

	options.selection = profile_options_selection(&values->select);
	options.names = profile_options_names(&values->names);
	return options;
}

int page_options_check(const struct page_values *values, struct err *err)
{
	if (values->open && values->output && output_file_is_stdout(values->output))
		return err_set(err, -EINVAL,
			       "--open needs a page in a file: -o - writes it to standard output");
	return 0;
}

/* ---- the file ---- */

/* True if the file is a page that prospect made. */
static bool is_ours(int fd)
{
	char text[BEGINNING + 1];
	struct stat there;
	ssize_t size;

	if (fstat(fd, &there) < 0 || !S_ISREG(there.st_mode))
		return false;
	size = read(fd, text, BEGINNING);
	if (size < 0)
		return false;
	text[size] = '\0';
	return strstr(text, our_mark);
}

/* True if nothing would be lost by writing a page there. */
static bool may_overwrite(const char *path)
{
	_cleanup_close_ int fd = -1;
	struct owner owner;
	int error;

	owner_find(&owner);
	owner_begin(&owner);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	error = errno;
	owner_end(&owner);
	return fd < 0 ? error == ENOENT : is_ours(fd);
}

int page_options_open_output(const struct page_values *values, const char *usual,
			     struct output_file **ret_file, struct err *err)
{
	if (values->output)
		return output_option_open(values->output, "-o names the page", ret_file, err);
	if (!may_overwrite(usual))
		return err_set(err, -EEXIST,
			       "%s exists and is not a page of prospect: name the page with -o",
			       usual);
	return output_file_open(usual, ret_file, err);
}

/* ---- the browser ---- */

/* From here on the process is the user's, as if that user had started it. */
static bool become(const struct owner *owner)
{
	_cleanup_free_ char *runtime = NULL;

	if (!owner->other)
		return true;
	runtime = xasprintf("/run/user/%u", owner->uid);
	if (setgroups(owner->group_count, owner->groups) < 0 ||
	    setresgid(owner->gid, owner->gid, owner->gid) < 0 ||
	    setresuid(owner->uid, owner->uid, owner->uid) < 0)
		return false;
	setenv("HOME", owner->home, 1);
	setenv("USER", owner->name, 1);
	setenv("LOGNAME", owner->name, 1);
	setenv("XDG_RUNTIME_DIR", runtime, 0);
	return true;
}

/* The child: does not return. It outlives us, and has nothing to do with our terminal. */
static void run_browser(const struct owner *owner, const char *path)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	for (int fd = STDIN_FILENO; nothing >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(nothing, fd);
	if (nothing >= 0 && become(owner))
		execlp("xdg-open", "xdg-open", path, NULL);
	_exit(STATUS_NO_PROGRAM);
}

static int explain(int status, const char *path, struct err *err)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NO_PROGRAM)
		return err_set(
			err, -ENOENT,
			"%s is written, but xdg-open is not there to open a browser: install "
			"xdg-utils, or open the file yourself",
			path);
	return err_set(err, -EIO,
		       "%s is written, but xdg-open found no browser to open it: open the file "
		       "yourself",
		       path);
}

/* Some versions of xdg-open wait until the browser ends. */
static int wait_for_browser(pid_t pid, const char *path, struct err *err)
{
	_cleanup_close_ int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd ended = { .fd = fd, .events = POLLIN };
	int status;

	if (fd < 0 || poll(&ended, 1, BROWSER_FAILS_MS) <= 0)
		return 0;
	if (waitpid(pid, &status, 0) != pid)
		return 0;
	return explain(status, path, err);
}

static int open_browser(const char *file, struct err *err)
{
	_cleanup_free_ char *path = realpath(file, NULL);
	struct owner owner;
	pid_t pid;

	if (!path)
		return err_set(err, -errno, "cannot open %s: %s", file, strerror(errno));
	owner_find(&owner);
	pid = fork();
	if (pid < 0)
		return err_set(err, -errno, "cannot start a browser: %s", strerror(errno));
	if (!pid)
		run_browser(&owner, path);
	return wait_for_browser(pid, file, err);
}

int page_options_show(const struct page_values *values, const char *usual, struct err *err)
{
	if (!values->output)
		puts(usual);
	if (values->open)
		return open_browser(values->output ? values->output : usual, err);
	if (!values->output && isatty(STDERR_FILENO))
		fputs("Open it in a browser, or use --open.\n", stderr);
	return 0;
}
