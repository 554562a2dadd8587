/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/moment.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/scan.h"

#define NS_PER_DAY     (86400 * NS_PER_S)
#define LONGEST_NS     (36525 * NS_PER_DAY)
#define SHARE_OF_WHOLE 1000000ULL

/* The most digits before the point: more might overflow in some unit. */
enum { MOST_DIGITS = 12, YEAR_OF_TM = 1900 };

/* Consumes a number and its unit, or takes @plain as the unit (0: a unit is required). */
static bool take_part(const char **text, uint64_t plain, uint64_t *ret_ns)
{
	uint64_t whole, billionths, unit;

	if (!scan_digits(text, MOST_DIGITS, &whole) || !scan_fraction(text, &billionths))
		return false;
	if (!scan_time_unit(text, &unit))
		unit = **text ? 0 : plain;
	if (!unit || whole > LONGEST_NS / unit)
		return false;
	*ret_ns = whole * unit + (uint64_t)((double)billionths / 1e9 * (double)unit + 0.5);
	return true;
}

int moment_parse_span(const char *text, uint64_t *ret_ns)
{
	uint64_t sum = 0, part;
	bool first = true;

	do {
		if (!take_part(&text, first ? NS_PER_S : 0, &part))
			return -EINVAL;
		sum += part;
		first = false;
	} while (*text && sum <= LONGEST_NS);
	if (sum > LONGEST_NS)
		return -EINVAL;
	*ret_ns = sum;
	return 0;
}

static bool parse_share(const char *text, struct moment *moment)
{
	uint64_t whole, billionths;

	if (!scan_digits(&text, 3, &whole) || !scan_fraction(&text, &billionths) ||
	    strcmp(text, "%") != 0 || whole > 100 || (whole == 100 && billionths))
		return false;
	*moment = (struct moment){ .kind = MOMENT_SHARE,
				   .value = whole * SHARE_OF_WHOLE / 100 +
					    billionths * SHARE_OF_WHOLE / 100 / NS_PER_S };
	return true;
}

/* ":05", below 60. */
static bool take_sixtieth(const char **text, uint64_t *ret_value)
{
	if (**text != ':')
		return false;
	(*text)++;
	return scan_digits(text, 2, ret_value) && *ret_value < 60;
}

/* HH:MM[:SS[.fraction]] */
static bool take_time_of_day(const char **text, uint64_t *ret_ns)
{
	uint64_t hour, minute, second = 0, billionths = 0;

	if (!scan_digits(text, 2, &hour) || hour > 23 || !take_sixtieth(text, &minute))
		return false;
	if (**text == ':' && (!take_sixtieth(text, &second) || !scan_fraction(text, &billionths)))
		return false;
	*ret_ns = ((hour * 60 + minute) * 60 + second) * NS_PER_S + billionths;
	return true;
}

static bool parse_time_of_day(const char *text, struct moment *moment)
{
	moment->kind = MOMENT_OF_DAY;
	return take_time_of_day(&text, &moment->value) && !*text;
}

static bool parse_epoch(const char *text, struct moment *moment)
{
	uint64_t seconds, billionths;

	if (*text++ != '@' || !scan_digits(&text, 10, &seconds) ||
	    !scan_fraction(&text, &billionths) || *text)
		return false;
	*moment = (struct moment){ .kind = MOMENT_REAL, .value = seconds * NS_PER_S + billionths };
	return true;
}

/* YYYY-MM-DD, a date that exists. */
static bool take_date(const char **text, struct tm *tm)
{
	uint64_t year, month, day;
	struct tm same;

	if (!scan_digits(text, 4, &year) || year < 1970 || *(*text)++ != '-' ||
	    !scan_digits(text, 2, &month) || *(*text)++ != '-' || !scan_digits(text, 2, &day))
		return false;
	*tm = (struct tm){ .tm_year = (int)year - YEAR_OF_TM,
			   .tm_mon = (int)month - 1,
			   .tm_mday = (int)day,
			   .tm_isdst = -1 };
	same = *tm;
	return timegm(&same) >= 0 && same.tm_mon == tm->tm_mon && same.tm_mday == tm->tm_mday;
}

static bool parse_date(const char *text, struct moment *moment)
{
	uint64_t of_day = 0;
	struct tm tm;
	time_t seconds;

	if (!take_date(&text, &tm))
		return false;
	if ((*text == 'T' || *text == ' ') && (text++, !take_time_of_day(&text, &of_day)))
		return false;
	tm.tm_hour = (int)(of_day / NS_PER_S / 3600);
	tm.tm_min = (int)(of_day / NS_PER_S / 60 % 60);
	tm.tm_sec = (int)(of_day / NS_PER_S % 60);
	seconds = *text == 'Z' ? (text++, timegm(&tm)) : mktime(&tm);
	*moment = (struct moment){ .kind = MOMENT_REAL,
				   .value = (uint64_t)seconds * NS_PER_S + of_day % NS_PER_S };
	return seconds >= 0 && !*text;
}

/* Midnight, @days after the day of @seconds since 1970. */
static time_t midnight(time_t seconds, int days)
{
	struct tm tm;

	localtime_r(&seconds, &tm);
	tm.tm_sec = tm.tm_min = tm.tm_hour = 0;
	tm.tm_mday += days;
	tm.tm_isdst = -1;
	return mktime(&tm);
}

/* The time of day @of_day on the day that is @days after that of @real_ns. */
static uint64_t on_day(uint64_t real_ns, int days, uint64_t of_day)
{
	time_t begin = midnight((time_t)(real_ns / NS_PER_S), days);

	return (uint64_t)(begin < 0 ? 0 : begin) * NS_PER_S + of_day;
}

/* "yesterday 14:05": a word for a day, alone its beginning. */
static bool parse_day(const char *text, struct moment *moment)
{
	static const char *const days[] = { "today", "yesterday" };
	uint64_t now_ns = clock_read(CLOCK_REALTIME), of_day = 0;

	moment->kind = MOMENT_REAL;
	moment->value = now_ns;
	if (strcmp(text, "now") == 0)
		return true;
	for (size_t i = 0; i < sizeof(days) / sizeof(days[0]); i++) {
		size_t length = strlen(days[i]);
		const char *rest = text + length;

		if (strncmp(text, days[i], length) != 0)
			continue;
		if (*rest == ' ' && (rest++, !take_time_of_day(&rest, &of_day)))
			return false;
		moment->value = on_day(now_ns, -(int)i, of_day);
		return !*rest;
	}
	return false;
}

static bool parse_mark(const char *text, struct moment *moment)
{
	static const char prefix[] = "mark:";

	moment->kind = MOMENT_MARK;
	moment->text = text + strlen(prefix);
	return strncmp(text, prefix, strlen(prefix)) == 0 && *moment->text;
}

static bool parse_span_from(const char *text, struct moment *moment)
{
	moment->kind = *text == '-'   ? MOMENT_BEFORE_END
		       : *text == '+' ? MOMENT_BEHIND_START
				      : MOMENT_SPAN;
	return moment_parse_span(text + (*text == '-' || *text == '+'), &moment->value) == 0;
}

int moment_parse(const char *text, struct moment *ret_moment, struct err *err)
{
	static bool (*const forms[])(const char *, struct moment *) = {
		parse_span_from, parse_share, parse_time_of_day, parse_date,
		parse_day,	 parse_epoch, parse_mark,
	};
	struct moment moment = { 0 };

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (!forms[i](text, &moment))
			continue;
		*ret_moment = moment;
		return 0;
	}
	return err_set(
		err, -EINVAL,
		"invalid time '%s': expected 2.5 or 10m (after the start; of a history: ago), "
		"-10s (before the end), 50%%, 14:05:30, 'yesterday 14:05' or "
		"2026-11-21T14:05",
		text);
}

/* See 14:05 in the header's list. */
static uint64_t real_of_day(uint64_t of_day, uint64_t start_real_ns, uint64_t end_real_ns)
{
	for (int days = 0; days >= -1; days--) {
		uint64_t real = on_day(end_real_ns, days, of_day);

		if (start_real_ns <= real && real <= end_real_ns)
			return real;
	}
	return on_day(start_real_ns, 0, of_day);
}

static int of_real_time(const struct moment *moment, const struct moment_base *base,
			uint64_t *ret_ns, struct err *err)
{
	uint64_t start_real_ns = base->start_real_ns, real_ns = moment->value;

	if (!start_real_ns)
		return err_set(err, -ENODATA,
			       "the profile has no time of day: give a time relative to its start "
			       "or end: 2.5, 10m, -10s or 50%%");
	if (moment->kind == MOMENT_OF_DAY)
		real_ns = real_of_day(moment->value, start_real_ns,
				      start_real_ns + (base->end_ns - base->start_ns));
	if (real_ns >= start_real_ns)
		*ret_ns = base->start_ns + (real_ns - start_real_ns);
	else if (base->now_ns && start_real_ns - real_ns < base->start_ns)
		*ret_ns = base->start_ns - (start_real_ns - real_ns);
	else
		*ret_ns = base->start_ns;
	return 0;
}

bool moment_is_relative(const struct moment *moment)
{
	return moment->kind != MOMENT_REAL && moment->kind != MOMENT_SPAN;
}

/* So long before @from_ns, but not before @least_ns. */
static uint64_t before(uint64_t from_ns, uint64_t span_ns, uint64_t least_ns)
{
	return from_ns > least_ns && span_ns < from_ns - least_ns ? from_ns - span_ns : least_ns;
}

int moment_ns(const struct moment *moment, const struct moment_base *given, uint64_t *ret_ns,
	      struct err *err)
{
	struct moment_base base = *given;
	uint64_t duration_ns;

	if (base.end_ns < base.start_ns)
		base.end_ns = base.start_ns;
	duration_ns = base.end_ns - base.start_ns;
	switch (moment->kind) {
	case MOMENT_MARK:
		return base.find_mark ? base.find_mark(base.context, moment->text, ret_ns, err)
				      : err_set(err, -ENODATA, "no marks are known");
	case MOMENT_SPAN:
		*ret_ns = base.now_ns ? before(base.now_ns, moment->value, 0)
				      : base.start_ns + moment->value;
		return 0;
	case MOMENT_BEHIND_START:
		*ret_ns = base.start_ns + moment->value;
		return 0;
	case MOMENT_BEFORE_END:
		*ret_ns = before(base.end_ns, moment->value, base.start_ns);
		return 0;
	case MOMENT_SHARE:
		*ret_ns = base.start_ns + duration_ns / SHARE_OF_WHOLE * moment->value +
			  duration_ns % SHARE_OF_WHOLE * moment->value / SHARE_OF_WHOLE;
		return 0;
	default:
		return of_real_time(moment, &base, ret_ns, err);
	}
}
