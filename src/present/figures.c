/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"

void figures_count(struct buf *buf, uint64_t value)
{
	char digits[24];
	size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, value);

	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			buf_add_char(buf, ',');
		buf_add_char(buf, digits[i]);
	}
}

void figures_samples(struct buf *buf, uint64_t count)
{
	figures_count(buf, count);
	buf_add_str(buf, count == 1 ? " sample" : " samples");
}

void figures_seconds(struct buf *buf, uint64_t ns)
{
	int decimals = ns >= NS_PER_S ? 2 : ns >= NS_PER_S / 100 ? 3 : 4;

	buf_printf(buf, "%.*f s", decimals, (double)ns / (double)NS_PER_S);
}

void figures_si(struct buf *buf, double value)
{
	static const char prefixes[][2] = { "p", "n", "u", "m", "", "k", "M", "G", "T", "P", "E" };
	const size_t most = sizeof(prefixes) / sizeof(prefixes[0]) - 1;
	size_t at = 4;

	if (value == 0) {
		buf_add_char(buf, '0');
		return;
	}
	/* a value that would round up to 1000 takes the next prefix */
	for (; value >= 999.5 && at < most; at++)
		value /= 1000;
	for (; value < 0.9995 && at > 0; at--)
		value *= 1000;
	if (prefixes[at][0] == '\0' && value == (double)(uint64_t)value)
		buf_printf(buf, "%.0f", value);
	else
		buf_printf(buf, "%.*f%s",
			   value >= 99.95   ? 0
			   : value >= 9.995 ? 1
					    : 2,
			   value, prefixes[at]);
}

double figures_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

void figures_weight(struct buf *buf, uint64_t weight, bool is_time)
{
	if (is_time)
		buf_add_fixed(buf, (double)weight / (double)NS_PER_S, 4);
	else
		buf_add_decimal(buf, weight);
}

void figures_times(struct buf *buf, uint64_t from_ns, uint64_t to_ns)
{
	const time_t from = (time_t)(from_ns / NS_PER_S), to = (time_t)(to_ns / NS_PER_S);
	char begin[64] = "?", end[64] = "?";
	struct tm tm_from, tm_to;
	bool same_day;

	if (!localtime_r(&from, &tm_from) || !localtime_r(&to, &tm_to))
		return;
	same_day = tm_from.tm_year == tm_to.tm_year && tm_from.tm_yday == tm_to.tm_yday;
	strftime(begin, sizeof(begin), "%Y-%m-%d %H:%M:%S", &tm_from);
	if (same_day)
		strftime(end, sizeof(end), "%H:%M:%S", &tm_to);
	else
		strftime(end, sizeof(end), "%Y-%m-%d %H:%M:%S", &tm_to);
	buf_printf(buf, "%s to %s", begin, end);
}
