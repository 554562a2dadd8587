/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/progress.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "cmd/options/terminal.h"

#define SOON_NS	  (NS_PER_S) /* shorter work shows nothing */
#define REDRAW_NS (NS_PER_S / 5)
#define LINE_NS	  (10 * NS_PER_S) /* between lines that cannot be rewritten */

void progress_begin(struct progress *progress, const char *command)
{
	struct terminal terminal;

	terminal_ask(stderr, &terminal);
	*progress = (struct progress){ .command = command, .redraws = terminal.redraws };
}

void progress_clear(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}

static void print(struct progress *progress, uint64_t now_ns, size_t done, size_t count)
{
	uint64_t took_ns = now_ns - progress->began_ns;
	double left_s = (double)took_ns / NS_PER_S / (double)done * (double)(count - done);

	progress_clear(progress);
	fprintf(stderr, "prospect %s: %s: %zu of %zu, about %.0f s left", progress->command,
		progress->act, done, count, left_s);
	if (progress->redraws)
		fflush(stderr);
	else
		fputc('\n', stderr);
	progress->shown = progress->redraws;
	progress->next_ns = now_ns + (progress->redraws ? REDRAW_NS : LINE_NS);
}

void progress_tell(struct progress *progress, const char *act, size_t done, size_t count)
{
	uint64_t now_ns = clock_ns();

	if (progress->act != act) {
		progress->act = act;
		progress->began_ns = now_ns;
		progress->next_ns = now_ns + SOON_NS;
	}
	if (done >= count)
		progress_clear(progress);
	else if (done && now_ns >= progress->next_ns)
		print(progress, now_ns, done, count);
}
