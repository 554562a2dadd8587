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

int open_limit_explain(int rc, size_t needed, const char *act, struct err *err)
{
	struct rlimit limit;

	if (rc == -ENFILE)
		return err_set(err, rc,
			       "%s: the whole system has as many files open as it may; close some, "
			       "or raise sysctl fs.file-max",
			       act);
	if (rc != -EMFILE || getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return rc;
	return err_set(
		err, rc,
		"%s takes about %zu open files, and no more than %llu are allowed: raise the "
		"limit with 'ulimit -n %zu'",
		act, needed, (unsigned long long)limit.rlim_max, needed);
}

int open_limit_check(size_t needed, const char *act, struct err *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_max >= needed)
		return 0;
	return open_limit_explain(-EMFILE, needed, act, err);
}
