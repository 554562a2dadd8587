/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
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

void figures_time(struct buf *buf, uint64_t real_ns)
{
	time_t seconds = (time_t)(real_ns / NS_PER_S);
	char text[64] = "?";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	buf_add_str(buf, text);
}

void figures_times(struct buf *buf, uint64_t from_ns, uint64_t to_ns)
{
	_cleanup_(buf_done) struct buf from = { 0 }, to = { 0 };
	const char *end;
	size_t date;

	figures_time(&from, from_ns);
	figures_time(&to, to_ns);
	end = buf_text(&to);
	date = strcspn(end, " ");
	if (end[date] && strncmp(buf_text(&from), end, date + 1) == 0)
		end += date + 1;
	buf_printf(buf, "%s to %s", buf_text(&from), end);
}
