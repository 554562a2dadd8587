/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/cpu_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/vec.h"

/* One number; -1 when there is none below the limit. */
static long read_number(const char **text)
{
	char *end;
	long value;

	if (!isdigit((unsigned char)**text))
		return -1;
	value = strtol(*text, &end, 10);
	*text = end;
	return value < CPU_LIST_MAX ? value : -1;
}

int cpu_list_parse(const char *text, int **ret_cpus, size_t *ret_count, struct err *err)
{
	VEC(int) cpus = { 0 };
	const char *at = text;

	for (;;) {
		long first = read_number(&at), last = first;

		if (*at == '-') {
			at++;
			last = read_number(&at);
		}
		if (first < 0 || last < first || (*at != ',' && *at != '\0' && *at != '\n') ||
		    cpus.count + (size_t)(last - first) >= CPU_LIST_MAX) {
			vec_free(&cpus);
			return err_set(err, -EINVAL, "'%s' is no list of CPUs such as 0-3,8", text);
		}
		for (long cpu = first; cpu <= last; cpu++)
			*vec_push(&cpus) = (int)cpu;
		if (*at != ',')
			break;
		at++;
	}
	*ret_cpus = cpus.items;
	*ret_count = cpus.count;
	return 0;
}

int cpu_list_online(int **ret_cpus, size_t *ret_count, struct err *err)
{
	struct buf text = { 0 };
	int rc = file_read("/sys/devices/system/cpu/online", 65536, &text);

	if (rc == 0)
		rc = cpu_list_parse(buf_text(&text), ret_cpus, ret_count, err);
	else
		err_set(err, rc, "cannot read which CPUs are online (is /sys mounted?)");
	buf_done(&text);
	return rc;
}
