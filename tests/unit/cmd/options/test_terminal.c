/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/options/terminal.h"

/* Longer than any pause between two lines. */
#define LONG_NS (3600 * NS_PER_S)

struct capture {
	int kept, file;
	char text[1024];
};

static void capture_begin(struct capture *capture)
{
	fflush(stderr);
	capture->kept = dup(STDERR_FILENO);
	capture->file = memfd_create("stderr", MFD_CLOEXEC);
	assert_true(capture->kept >= 0 && capture->file >= 0);
	dup2(capture->file, STDERR_FILENO);
}

/* What has come since; goes on. */
static const char *captured(struct capture *capture)
{
	ssize_t got;

	fflush(stderr);
	got = pread(capture->file, capture->text, sizeof(capture->text) - 1, 0);
	capture->text[got < 0 ? 0 : got] = '\0';
	if (ftruncate(capture->file, 0) < 0 || lseek(capture->file, 0, SEEK_SET) < 0)
		capture->text[0] = '\0';
	return capture->text;
}

static void capture_end(struct capture *capture)
{
	dup2(capture->kept, STDERR_FILENO);
	close(capture->kept);
	close(capture->file);
}

/* As if the work had begun @ns earlier, and the next line were due. The clock may be younger than
 * @ns, as it counts from when the machine started. */
static void let_pass(struct progress *progress, uint64_t ns)
{
	progress->began_ns -= ns;
	progress->next_ns = 0;
}

static void lines_come_now_and_then(void **state)
{
	static const char act[] = "attaching";
	struct progress progress;
	struct capture capture;

	capture_begin(&capture);
	terminal_progress_begin(&progress, "watch");
	assert_false(progress.redraws);
	terminal_progress_tell(&progress, act, 1, 4);
	assert_string_equal(captured(&capture), "");
	let_pass(&progress, LONG_NS);
	terminal_progress_tell(&progress, act, 2, 4);
	assert_string_equal(captured(&capture),
			    "prospect watch: attaching: 2 of 4, about 3600 s left\n");
	terminal_progress_tell(&progress, act, 3, 4);
	assert_string_equal(captured(&capture), "");
	let_pass(&progress, LONG_NS);
	terminal_progress_tell(&progress, act, 4, 4); /* it is over */
	terminal_progress_clear(&progress);
	assert_string_equal(captured(&capture), "");
	capture_end(&capture);
}

static void a_line_is_written_over(void **state)
{
	static const char first[] = "attaching", then[] = "detaching";
	struct progress progress;
	struct capture capture;

	capture_begin(&capture);
	terminal_progress_begin(&progress, "watch");
	progress.redraws = true;
	terminal_progress_tell(&progress, first, 1, 4);
	let_pass(&progress, LONG_NS);
	terminal_progress_tell(&progress, first, 1, 4);
	assert_string_equal(captured(&capture),
			    "prospect watch: attaching: 1 of 4, about 10800 s left");
	let_pass(&progress, LONG_NS);
	terminal_progress_tell(&progress, first, 2, 4);
	assert_string_equal(captured(&capture),
			    "\r\033[Kprospect watch: attaching: 2 of 4, about 7200 s left");
	terminal_progress_tell(&progress, first, 4, 4);
	assert_string_equal(captured(&capture), "\r\033[K");
	terminal_progress_tell(&progress, then, 1, 4); /* soon over, as far as is known */
	terminal_progress_clear(&progress);
	assert_string_equal(captured(&capture), "");
	capture_end(&capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_now_and_then),
		cmocka_unit_test(a_line_is_written_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
