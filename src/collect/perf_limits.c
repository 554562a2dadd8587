/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf_limits.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

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
	return err_set(
		err, -EINVAL,
		"%.0f samples per second are above the kernel's limit of %lld; ask for less, or as "
		"root: sysctl -w kernel.perf_event_max_sample_rate=%.0f",
		rate_hz, (long long)limit, rate_hz);
}

static int explain_permission(int rc, struct err *err)
{
	long long paranoid = (long long)perf_limits_paranoid();

	if (geteuid() == 0)
		return err_set(
			err, rc,
			"the kernel refuses perf events even to root (%s): a container without "
			"CAP_PERFMON, or whose seccomp filter hides perf_event_open; allow "
			"it, or run on the host",
			strerror(-rc));
	if (paranoid > 2)
		return err_set(err, rc,
			       "the kernel lets only root use perf events here "
			       "(kernel.perf_event_paranoid is %lld); run with sudo, or once: sudo "
			       "sysctl -w "
			       "kernel.perf_event_paranoid=2",
			       paranoid);
	return err_set(err, rc,
		       "the kernel does not permit this (%s; kernel.perf_event_paranoid is "
		       "%lld); run with sudo",
		       strerror(-rc), paranoid);
}

int perf_limits_explain(int rc, struct err *err)
{
	switch (-rc) {
	case EACCES:
	case EPERM:
		return explain_permission(rc, err);
	case ENOSYS:
		return err_set(err, rc,
			       "perf_event_open is not available: the kernel lacks it or a seccomp "
			       "filter hides it (containers: allow the call or run on the host)");
	case ESRCH:
		return err_set(err, rc, "the process is gone");
	default:
		return err_set(err, rc, "cannot open a perf event: %s", strerror(-rc));
	}
}
