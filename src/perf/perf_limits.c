/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/perf_limits.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

#define SYSCTL_DIR "/proc/sys/kernel/"

static int64_t read_sysctl(const char *path, int64_t fallback)
{
	int64_t value;

	return file_read_i64(path, &value) == 0 ? value : fallback;
}

int64_t perf_limits_paranoid(void)
{
	return read_sysctl(SYSCTL_DIR "perf_event_paranoid", 2);
}

int64_t perf_limits_max_rate(void)
{
	return read_sysctl(SYSCTL_DIR "perf_event_max_sample_rate", 0);
}

int perf_limits_check_rate(double rate_hz, struct err *err)
{
	int64_t limit = perf_limits_max_rate();

	if (limit <= 0 || rate_hz <= (double)limit)
		return 0;
	return err_set(err, -EINVAL,
		       "%.0f samples per second exceed the kernel's limit of %lld; ask for fewer, "
		       "or as root: sysctl -w kernel.perf_event_max_sample_rate=%.0f",
		       rate_hz, (long long)limit, rate_hz);
}

bool perf_limits_own(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_DUMMY,
					.exclude_kernel = 1,
					.exclude_hv = 1,
					.disabled = 1 };
	_cleanup_close_ int fd =
		(int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd >= 0;
}

/* The message must be true for this kernel. Above level 2, some kernels (Debian's) refuse
 * everything and others no more than at 2, so perf_limits_own tries it. */
int perf_limits_refusal(const struct perf_refusal *refusal, struct err *err)
{
	const char *why = strerror(-refusal->rc);
	long long paranoid = (long long)refusal->paranoid;

	if (refusal->root)
		return err_set(err, refusal->rc,
			       "the kernel refuses perf events even to root (%s): the container "
			       "lacks CAP_PERFMON, or its seccomp filter blocks perf_event_open; "
			       "allow it, or run on the host",
			       why);
	if (!refusal->own && paranoid > 2)
		return err_set(
			err, refusal->rc,
			"only root may use perf events here (kernel.perf_event_paranoid is %lld); "
			"run with sudo, or once: sudo sysctl -w kernel.perf_event_paranoid=2",
			paranoid);
	if (!refusal->own)
		return err_set(err, refusal->rc,
			       "perf events of one's own processes are refused (%s), although "
			       "kernel.perf_event_paranoid=%lld permits them: a seccomp filter or "
			       "a security module; allow perf_event_open, or run with sudo",
			       why, paranoid);
	if (refusal->machine && paranoid > 0)
		return err_set(err, refusal->rc,
			       "only root may observe the whole machine here, others their own "
			       "processes (kernel.perf_event_paranoid is %lld); run with sudo, or "
			       "give prospect CAP_PERFMON: 'prospect check --fix' says how",
			       paranoid);
	return err_set(err, refusal->rc,
		       "the kernel does not permit this, although it permits observing one's own "
		       "processes (%s; kernel.perf_event_paranoid is %lld); run with sudo",
		       why, paranoid);
}

int perf_limits_explain(int rc, bool machine, struct err *err)
{
	switch (-rc) {
	case EACCES:
	case EPERM:
		return perf_limits_refusal(
			&(struct perf_refusal){ .rc = rc,
						.paranoid = perf_limits_paranoid(),
						.root = geteuid() == 0,
						.own = perf_limits_own(),
						.machine = machine },
			err);
	case ENOSYS:
		return err_set(err, rc,
			       "perf_event_open is not available: the kernel lacks it or a seccomp "
			       "filter hides it (containers: allow the call or run on the host)");
	case ESRCH:
		return err_set(err, rc, "the process has ended");
	default:
		return err_set(err, rc, "cannot open a perf event: %s", strerror(-rc));
	}
}
