/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/open_limit.h"

#include <errno.h>
#include <sys/resource.h>

void open_limit_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

size_t open_limit_rest(size_t used)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur < used)
		return 0;
	return (size_t)limit.rlim_cur - used;
}

int open_limit_explain(int rc, size_t needed, const char *act, struct err *err)
{
	struct rlimit limit;

	if (rc == -ENFILE)
		return err_set(err, rc,
			       "%s: the system-wide limit of open files is reached: close some, or "
			       "raise sysctl fs.file-max",
			       act);
	if (rc != -EMFILE || getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return rc;
	return err_set(err, rc,
		       "%s needs about %zu open files, but the limit is %llu: raise it with "
		       "'ulimit -n %zu'",
		       act, needed, (unsigned long long)limit.rlim_max, needed);
}

int open_limit_check(size_t needed, const char *act, struct err *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_max >= needed)
		return 0;
	return open_limit_explain(-EMFILE, needed, act, err);
}
