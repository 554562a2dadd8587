/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/options/collect_options.h"
#include "cmd/options/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/owner.h"

enum { PROGRESS_AFTER_S = 3 };

struct record_options collect_record_options(const struct collect_options *options)
{
	struct record_options record = options->record;

	record.events = options->events.items;
	record.event_count = options->events.count;
	return record;
}

int collect_read_who(const struct collect_options *options, char *const *command, struct who *who,
		     struct err *err)
{
	int rc = who_options_read(&options->who, who, err);

	return rc < 0 ? rc : who_options_check_command(who, command, err);
}

static void print_progress(void *context, double elapsed_s, uint64_t samples, uint64_t lost)
{
	(void)context;
	if (elapsed_s >= PROGRESS_AFTER_S)
		fprintf(stderr, "\r%.0f s, %llu samples, %llu lost ", elapsed_s,
			(unsigned long long)samples, (unsigned long long)lost);
}

/* A rewritten line must not mix with the command's output. */
static bool may_show_progress(const struct record_options *options)
{
	struct terminal terminal;

	terminal_ask(stderr, &terminal);
	return terminal.redraws && !options->argv;
}

/* --as-user needs to know the user. */
static int check_user(const struct record_options *options, struct err *err)
{
	struct owner owner;

	owner_find(&owner);
	if (!options->as_user || geteuid() != 0 || owner.other)
		return 0;
	return err_set(err, -EINVAL, "--as-user needs sudo: SUDO_UID is not set");
}

/* The kernel maps only powers of two. Tells the user if the size changes. */
static void explain_ring(int64_t ring_kb)
{
	int64_t power = 1;

	while (power < ring_kb)
		power *= 2;
	if (ring_kb && power != ring_kb)
		terminal_say("prospect: --ring %lld: the size must be a power of two; using %lld",
			     (long long)ring_kb, (long long)power);
}

int collect_run(const struct record_options *options, struct record_result *ret_result)
{
	struct record_options wanted = *options;
	struct err err;
	int rc;

	*ret_result = (struct record_result){ .path = "" };
	if (check_user(options, &err) < 0 || record_check(options, &err) < 0) {
		fprintf(stderr, "prospect: %s\n", err.text);
		return 2;
	}
	explain_ring(options->ring_kb);
	if (may_show_progress(options))
		wanted.progress = print_progress;
	rc = record_run(&wanted, ret_result, &err);
	if (wanted.progress)
		fputs("\r\033[K", stderr);
	if (rc < 0) {
		terminal_say("prospect: %s%s%s", err.text,
			     ret_result->kept ? "; what was recorded before is in " : "",
			     ret_result->kept ? ret_result->path : "");
		return command_outcome_exit_status(&ret_result->outcome, rc);
	}
	if (ret_result->note[0])
		terminal_say("prospect: %s", ret_result->note);
	return -1;
}
