/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history/history.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json_add.h"
#include "base/owner.h"
#include "base/scan.h"
#include "base/xalloc.h"
#include "history/control.h"
#include "history/segments.h"
#include "history/supervisor.h"
#include "present/figures.h"
#include "present/safe.h"
#include "record/record.h"
#include "store/state_files.h"

#define OF_ROOT "/var/lib/prospect"

/* ---- the folder ---- */

static const char *named_folder(void)
{
	const char *name = secure_getenv("PROSPECT_HISTORY");

	return name && *name ? name : NULL;
}

int history_folder(const char *wanted, char *ret_path, struct err *err)
{
	struct owner owner;

	if (!wanted)
		wanted = named_folder();
	if (wanted && strlen(wanted) >= HISTORY_PATH_MAX)
		return err_set(err, -ENAMETOOLONG, "--history: file name too long");
	if (wanted || geteuid() == 0) {
		snprintf(ret_path, HISTORY_PATH_MAX, "%s", wanted ? wanted : OF_ROOT);
		return 0;
	}
	owner_find(&owner);
	return state_path(&owner, "history", ret_path, HISTORY_PATH_MAX, err);
}

static bool has_segments(const char *path)
{
	_cleanup_close_ int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct segments segments = { 0 };
	bool has = folder >= 0 && segments_read(folder, &segments) == 0 && segments.list.count > 0;

	vec_free(&segments.list);
	return has;
}

bool history_find(char *ret_path, size_t size)
{
	char own[HISTORY_PATH_MAX];
	const char *found;
	struct err err;

	if (history_folder(NULL, own, &err) == 0 && has_segments(own))
		found = own;
	else if (!named_folder() && has_segments(OF_ROOT))
		found = OF_ROOT;
	else
		return false;
	return (size_t)snprintf(ret_path, size, "%s", found) < size;
}

/* The group that may read the folder; "": none but root's. */
static const char *readers_of(const char *folder)
{
	const struct group *group;
	struct stat status;

	if (stat(folder, &status) < 0 || !status.st_gid || !(status.st_mode & S_IRGRP))
		return "";
	group = getgrgid(status.st_gid);
	return group ? group->gr_name : "";
}

bool history_is_closed(struct buf *text)
{
	const char *folder = named_folder() ? named_folder() : OF_ROOT, *group;
	_cleanup_close_ int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct passwd *user;

	if (fd >= 0 || errno != EACCES)
		return false;
	group = readers_of(folder);
	user = getpwuid(getuid());
	buf_printf(text, "the history of this machine, %s, is only for root%s%s: use sudo", folder,
		   *group ? " and the group " : "", group);
	if (*group && user)
		buf_printf(text, ", or join the group (sudo usermod -aG %s %s) and log in again",
			   group, user->pw_name);
	return true;
}

/* What it shows of a machine is for root and the group "prospect", if there is one; an ordinary
 * user's is for that user. systemd may have made the usual folder (StateDirectory=). */
static int make_folder(const char *folder, struct err *err)
{
	const struct group *group = geteuid() == 0 ? getgrnam("prospect") : NULL;
	struct owner owner;
	bool there;

	owner_find(&owner);
	if (geteuid() != 0 && state_make_folder(&owner, err) < 0)
		return -EACCES;
	there = mkdir(folder, 0700) < 0;
	if (there && errno != EEXIST)
		return err_set(err, -errno, "cannot make %s: %s", folder, strerror(errno));
	if (there && strcmp(folder, OF_ROOT) != 0)
		return 0;
	if (group && lchown(folder, 0, group->gr_gid) == 0)
		(void)chmod(folder, 0750);
	return 0;
}

/* ---- starting ---- */

static int is_running(const char *folder, struct err *err)
{
	_cleanup_(buf_done) struct buf status = { 0 };
	_cleanup_(buf_done) struct buf when = { 0 };
	const char *since;
	uint64_t since_s;

	if (control_ask(folder, "status", &status, err) < 0)
		return 0;
	since = strstr(buf_text(&status), "since ");
	since = since ? since + strlen("since ") : "";
	if (scan_number(&since, 10, &since_s)) {
		buf_add_str(&when, " since ");
		figures_time(&when, since_s * NS_PER_S);
	}
	return err_set(err, -EALREADY, "%s is being recorded into%s: 'prospect stop' ends it",
		       folder, buf_text(&when));
}

static void leave_terminal(void)
{
	int null = open("/dev/null", O_RDWR);

	setsid();
	(void)!chdir("/");
	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
}

/* A supervisor that is killed is replaced; one that ends is not. */
static void keep_supervisor(const struct history_options *options, const char *folder, int started)
{
	struct err err;

	for (;;) {
		int status;
		pid_t pid = fork();

		if (pid == 0)
			_exit(supervisor_run(options, folder, started, &err) < 0);
		close(started);
		started = -1;
		if (pid < 0 || waitpid(pid, &status, 0) < 0 || WIFEXITED(status))
			return;
		sleep(1);
	}
}

static int run_apart(const struct history_options *options, const char *folder, struct err *err)
{
	char why[sizeof(err->text)] = "the supervisor died";
	ssize_t got, size = 0;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		return err_set(err, -errno, "cannot start the supervisor: %s", strerror(errno));
	if (pid == 0) {
		close(ends[0]);
		leave_terminal();
		keep_supervisor(options, folder, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	while ((got = read(ends[0], why + size, sizeof(why) - 1 - (size_t)size)) > 0)
		size += got;
	close(ends[0]);
	why[size] = '\0';
	return size ? err_set(err, -EIO, "%s", why) : 0;
}

int history_start(const struct history_options *options, struct err *err)
{
	char folder[HISTORY_PATH_MAX];
	int rc = history_folder(options->folder, folder, err);

	/* The history is root's, also under sudo. */
	unsetenv("SUDO_UID");
	if (rc == 0)
		rc = make_folder(folder, err);
	if (rc == 0)
		rc = is_running(folder, err);
	if (rc < 0)
		return rc;
	return options->foreground ? supervisor_run(options, folder, -1, err)
				   : run_apart(options, folder, err);
}

/* ---- asking ---- */

static int ask(const char *wanted, const char *verb, struct err *err)
{
	_cleanup_(buf_done) struct buf answer = { 0 };
	char folder[HISTORY_PATH_MAX];
	int rc = history_folder(wanted, folder, err);

	return rc < 0 ? rc : control_ask(folder, verb, &answer, err);
}

int history_stop(const char *folder, struct err *err)
{
	return ask(folder, "stop", err);
}

int history_pause(const char *folder, struct err *err)
{
	return ask(folder, "pause", err);
}

int history_resume(const char *folder, struct err *err)
{
	return ask(folder, "resume", err);
}

int history_restart(const char *folder, struct err *err)
{
	return ask(folder, "restart", err);
}

int history_reload(const char *folder, struct err *err)
{
	return ask(folder, "reload", err);
}

int history_flush(const char *folder, struct err *err)
{
	return ask(folder, "flush", err);
}

int history_mark(const char *folder, const char *text, struct err *err)
{
	_cleanup_free_ char *verb = xasprintf("mark %s", text);

	if (!*text || strlen(text) > MARK_MAX_BYTES)
		return err_set(err, -EINVAL, "a mark has a text of at most %d bytes",
			       MARK_MAX_BYTES);
	for (const char *at = text; *at; at++) {
		if ((unsigned char)*at < ' ' || *at == '\x7f')
			return err_set(err, -EINVAL, "a mark cannot have control characters");
	}
	return ask(folder, verb, err);
}

/* Without a supervisor, whose lock this takes. */
static int clear_folder(const char *path, struct err *err)
{
	_cleanup_close_ int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int lock =
		folder < 0 ? -1 : openat(folder, "lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct segments segments;
	int rc;

	if (folder < 0)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	if (lock < 0)
		return err_set(err, -errno, errno == ENOENT ? "%s: it is no history" : "%s: %m",
			       path);
	if (flock(lock, LOCK_EX | LOCK_NB) < 0)
		return err_set(err, -EBUSY, "%s: its supervisor does not answer", path);
	rc = segments_read(folder, &segments);
	segments_clear(folder, &segments, NULL, 0);
	vec_free(&segments.list);
	return rc < 0 ? err_set(err, rc, "%s: %s", path, strerror(-rc)) : 0;
}

int history_reset(const char *wanted, struct err *err)
{
	_cleanup_(buf_done) struct buf answer = { 0 };
	char folder[HISTORY_PATH_MAX];
	int rc = history_folder(wanted, folder, err);

	if (rc == 0)
		rc = control_ask(folder, "reset", &answer, err);
	return rc == -ESRCH ? clear_folder(folder, err) : rc;
}

/* ---- status ---- */

struct status {
	char folder[HISTORY_PATH_MAX];
	struct buf answer; /* "KEY VALUE" lines; empty: no supervisor runs */
	struct segments segments;
	uint64_t bytes;
	struct buf
		closed; /* that another history may not be read; empty: it may, or there is none */
};

/* The value of a key of the supervisor's answer, up to the end of its line; NULL: none. */
static const char *value_of(const struct status *status, const char *key, size_t *ret_length)
{
	size_t length = strlen(key);

	for (const char *at = buf_text(&status->answer); at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, key, length) == 0 && at[length] == ' ') {
			*ret_length = strcspn(at + length + 1, "\n");
			return at + length + 1;
		}
	}
	return NULL;
}

static void add_value(const struct status *status, const char *key, struct buf *text)
{
	size_t length = 0;
	const char *value = value_of(status, key, &length);
	_cleanup_(buf_done) struct buf copy = { 0 };

	buf_add(&copy, value ? value : "", length);
	safe_text(text, buf_text(&copy));
}

static uint64_t number_of(const struct status *status, const char *key)
{
	uint64_t number = 0;
	size_t length;
	const char *value = value_of(status, key, &length);

	return value && scan_number(&value, 10, &number) ? number : 0;
}

static void add_moment(struct buf *text, uint64_t seconds)
{
	figures_time(text, seconds * NS_PER_S);
}

static void add_supervisor(const struct status *status, struct buf *text)
{
	uint64_t since_s = number_of(status, "since"), failures = number_of(status, "failures");
	uint64_t now_s = clock_read(CLOCK_REALTIME) / NS_PER_S;
	double length_s = now_s > since_s ? (double)(now_s - since_s) : 1;
	size_t length;
	const char *cpu = value_of(status, "cpu_s", &length);

	buf_add_str(text, "Always on    ");
	add_value(status, "state", text);
	buf_add_str(text, " since ");
	add_moment(text, since_s);
	buf_add_str(text, ", ");
	add_value(status, "rate_hz", text);
	buf_add_str(text, " Hz, pid ");
	add_value(status, "pid", text);
	buf_add_str(text, "\nSamples      ");
	add_value(status, "samples", text);
	buf_add_str(text, ", ");
	add_value(status, "lost", text);
	buf_printf(text, " lost\nOwn cost     %.2f %% of a CPU\n",
		   cpu ? 100 * strtod(cpu, NULL) / length_s : 0);
	if (!value_of(status, "problem", &length))
		return;
	buf_add_str(text, "!            ");
	add_moment(text, number_of(status, "problem_at"));
	buf_add_str(text, ": ");
	add_value(status, "problem", text);
	if (failures)
		buf_printf(text, " (%" PRIu64 " failure%s)", failures, failures == 1 ? "" : "s");
	buf_add_char(text, '\n');
}

static void add_text(const struct status *status, struct buf *text)
{
	if (status->answer.size)
		add_supervisor(status, text);
	else
		buf_add_str(text, "Always on    off: 'prospect start' begins\n");
	buf_add_str(text, "History      ");
	safe_text(text, status->folder);
	buf_printf(text, ": %zu segment%s", status->segments.list.count,
		   status->segments.list.count == 1 ? "" : "s");
	if (status->segments.list.count) {
		buf_add_str(text, " since ");
		add_moment(text, status->segments.list.items[0].start_s);
		buf_add_str(text, ", ");
		figures_si(text, (double)status->bytes);
		buf_add_char(text, 'B');
	}
	buf_add_char(text, '\n');
	if (status->closed.size) {
		buf_add_str(text, "!            ");
		safe_text(text, buf_text(&status->closed));
		buf_add_char(text, '\n');
	}
}

static void add_json(const struct status *status, struct buf *json)
{
	static const char *const texts[] = { "state", "segment", "problem" };
	static const char *const numbers[] = { "pid",  "since",	   "rate_hz",	 "samples",
					       "lost", "failures", "problem_at", "cpu_s" };
	const struct segments *segments = &status->segments;

	json_add_begin(json, NULL, '{');
	json_add_bool(json, "runs", status->answer.size > 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		_cleanup_(buf_done) struct buf value = { 0 };

		add_value(status, texts[i], &value);
		json_add_text_or_null(json, texts[i], value.size ? buf_text(&value) : NULL);
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		size_t length;
		const char *value = value_of(status, numbers[i], &length);

		if (value)
			json_add_fixed(json, numbers[i], strtod(value, NULL),
				       strcmp(numbers[i], "cpu_s") == 0 ? 3 : 0);
		else
			json_add_null(json, numbers[i]);
	}
	json_add_text(json, "history", status->folder);
	json_add_number(json, "segments", segments->list.count);
	json_add_number(json, "bytes", status->bytes);
	json_add_number_or_null(json, "oldest",
				segments->list.count ? segments->list.items[0].start_s : 0);
	json_add_end(json, '}');
	buf_add_char(json, '\n');
}

/* Columns: family, unit (the last word of the family; NULL: none), whether it only grows, help, key of
 * the supervisor's answer. */
static const struct metric {
	const char *family, *unit;
	bool counter;
	const char *help, *key;
} metrics[] = {
	{ "prospect_rate_hertz", "hertz", false, "Samples per second on each CPU.", "rate_hz" },
	{ "prospect_start_time_seconds", "seconds", false, "When it was started, since 1970.",
	  "since" },
	{ "prospect_samples", NULL, true, "Samples taken.", "samples" },
	{ "prospect_lost_samples", NULL, true, "Samples lost.", "lost" },
	{ "prospect_cpu_seconds", "seconds", true, "CPU time that it used itself.", "cpu_s" },
	{ "prospect_failures", NULL, true, "Recorders that failed.", "failures" },
};

static void add_metric(struct buf *text, const struct metric *metric, double value)
{
	buf_printf(text, "# TYPE %s %s\n", metric->family, metric->counter ? "counter" : "gauge");
	if (metric->unit)
		buf_printf(text, "# UNIT %s %s\n", metric->family, metric->unit);
	buf_printf(text, "# HELP %s %s\n%s%s %.15g\n", metric->family, metric->help, metric->family,
		   metric->counter ? "_total" : "", value);
}

static void add_gauge(struct buf *text, const char *family, const char *unit, const char *help,
		      double value)
{
	const struct metric metric = { .family = family, .unit = unit, .help = help };

	add_metric(text, &metric, value);
}

static void add_openmetrics(const struct status *status, struct buf *text)
{
	const struct segments *segments = &status->segments;
	size_t length;
	const char *state = value_of(status, "state", &length);

	add_gauge(text, "prospect_up", NULL, "1 if the machine is profiled all the time.",
		  status->answer.size > 0);
	add_gauge(text, "prospect_recording", NULL, "1 if it is not paused and not starting.",
		  state && length == strlen("recording") &&
			  strncmp(state, "recording", length) == 0);
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		const char *value = value_of(status, metrics[i].key, &length);

		if (value)
			add_metric(text, &metrics[i], strtod(value, NULL));
	}
	add_gauge(text, "prospect_history_segments", NULL, "Profiles of the history.",
		  (double)segments->list.count);
	add_gauge(text, "prospect_history_bytes", "bytes", "What they take on the disk.",
		  (double)status->bytes);
	if (segments->list.count)
		add_gauge(text, "prospect_history_oldest_seconds", "seconds",
			  "When the oldest begins, since 1970.",
			  (double)segments->list.items[0].start_s);
	buf_add_str(text, "# EOF\n");
}

static int read_status(struct status *status, const char *wanted, struct err *err)
{
	_cleanup_close_ int folder = -1;
	int rc = history_folder(wanted, status->folder, err);

	if (rc < 0)
		return rc;
	rc = control_ask(status->folder, "status", &status->answer, err);
	if (rc < 0 && rc != -ESRCH)
		return rc;
	folder = open(status->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder >= 0)
		(void)segments_read(folder, &status->segments);
	for (size_t i = 0; i < status->segments.list.count; i++)
		status->bytes += status->segments.list.items[i].bytes;
	if (!wanted && !status->answer.size && !status->segments.list.count)
		(void)history_is_closed(&status->closed);
	return 0;
}

int history_print_status(const char *wanted, enum history_format format, FILE *out, struct err *err)
{
	static void (*const add[])(const struct status *status, struct buf *text) = {
		[HISTORY_TEXT] = add_text,
		[HISTORY_JSON] = add_json,
		[HISTORY_OPENMETRICS] = add_openmetrics,
	};
	struct status status = { .bytes = 0 };
	_cleanup_(buf_done) struct buf text = { 0 };
	int rc = read_status(&status, wanted, err);

	if (rc == 0) {
		add[format](&status, &text);
		fputs(buf_text(&text), out);
	}
	buf_done(&status.answer);
	buf_done(&status.closed);
	vec_free(&status.segments.list);
	return rc;
}
