/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "history/clock_step.h"

#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define LEAST_NS ((int64_t)NS_PER_S)

static int64_t offset_now(void)
{
	return (int64_t)(clock_read(CLOCK_REALTIME) - clock_ns());
}

/* The timer itself is as far away as can be; the kernel cancels it when the clock is set, and when the
 * machine goes on after a suspend. */
static void arm(const struct clock_step *step)
{
	const struct itimerspec never = { .it_value.tv_sec = INT64_MAX };

	timerfd_settime(step->fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

void clock_step_open(struct clock_step *step)
{
	step->fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	step->offset_ns = offset_now();
	if (step->fd >= 0)
		arm(step);
}

void clock_step_close(struct clock_step *step)
{
	if (step->fd >= 0)
		close(step->fd);
	step->fd = -1;
}

bool clock_step_take(struct clock_step *step, int64_t offset_ns)
{
	int64_t change_ns = offset_ns - step->offset_ns;

	step->offset_ns = offset_ns;
	return change_ns >= LEAST_NS || change_ns <= -LEAST_NS;
}

bool clock_step_look(struct clock_step *step)
{
	uint64_t expired;

	if (step->fd >= 0 && read(step->fd, &expired, sizeof(expired)) < 0)
		arm(step);
	return clock_step_take(step, offset_now());
}
