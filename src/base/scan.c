/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/scan.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum { DIGITS_OF_NS = 9 };

/* strtoull alone would accept signs and blanks. */
bool scan_number(const char **at, int base, uint64_t *ret_number)
{
	uint64_t number;
	char *end;

	if (!base)
		base = strncmp(*at, "0x", 2) == 0 ? 16 : 10;
	if (!(base == 16 ? isxdigit((unsigned char)**at) : isdigit((unsigned char)**at)))
		return false;
	errno = 0;
	number = strtoull(*at, &end, base);
	if (errno)
		return false;
	*at = end;
	*ret_number = number;
	return true;
}

bool scan_whole_number(const char *text, int base, uint64_t *ret_number)
{
	uint64_t number;

	if (!scan_number(&text, base, &number) || *text)
		return false;
	*ret_number = number;
	return true;
}

bool scan_digits(const char **at, unsigned most, uint64_t *ret_number)
{
	uint64_t number = 0;
	unsigned count = 0;

	for (; isdigit((unsigned char)(*at)[count]); count++) {
		if (count == most)
			return false;
		number = 10 * number + (uint64_t)((*at)[count] - '0');
	}
	*at += count;
	*ret_number = number;
	return count > 0;
}

bool scan_fraction(const char **at, uint64_t *ret_billionths)
{
	const char *digit = *at + 1;
	uint64_t billionths = 0;

	*ret_billionths = 0;
	if (**at != '.')
		return true;
	if (!isdigit((unsigned char)*digit))
		return false;
	for (unsigned i = 0; i < DIGITS_OF_NS; i++) {
		bool more = isdigit((unsigned char)*digit);

		billionths = 10 * billionths + (more ? (uint64_t)(*digit++ - '0') : 0);
	}
	*at = digit + strspn(digit, "0123456789");
	*ret_billionths = billionths;
	return true;
}

/* strtod alone would also accept blanks, hexadecimal, infinity and nan. */
bool scan_decimal(const char **at, double *ret_number)
{
	double number;
	char *end;

	if (isspace((unsigned char)**at))
		return false;
	number = strtod(*at, &end);
	if (end == *at || (size_t)(end - *at) > strspn(*at, "+-.0123456789eE") || !isfinite(number))
		return false;
	*at = end;
	*ret_number = number;
	return true;
}

bool scan_time_unit(const char **at, uint64_t *ret_ns)
{
	/* longer names first */
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", NS_PER_MS },
		{ "s", NS_PER_S },
		{ "min", 60 * NS_PER_S },
		{ "m", 60 * NS_PER_S },
		{ "h", 3600 * NS_PER_S },
		{ "d", 86400 * NS_PER_S },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t length = strlen(units[i].name);

		if (strncmp(*at, units[i].name, length) != 0)
			continue;
		*at += length;
		*ret_ns = units[i].ns;
		return true;
	}
	return false;
}

void scan_blanks(struct scan *scan)
{
	while (isspace((unsigned char)*scan->at))
		scan->at++;
}

bool scan_sign(struct scan *scan, const char *sign)
{
	size_t length = strlen(sign);

	scan_blanks(scan);
	if (strncmp(scan->at, sign, length) != 0)
		return false;
	scan->at += length;
	return true;
}

bool scan_is_word(char character)
{
	return isalnum((unsigned char)character) || character == '_';
}

bool scan_word(struct scan *scan, const char *word)
{
	size_t length = strlen(word);

	scan_blanks(scan);
	return strncmp(scan->at, word, length) == 0 && !scan_is_word(scan->at[length]) &&
	       scan_sign(scan, word);
}

int scan_fail(const struct scan *scan, const char *what)
{
	if (!*scan->at)
		return err_set(scan->err, -EINVAL, "%s '%s': %s at the end", scan->option,
			       scan->text, what);
	return err_set(scan->err, -EINVAL, "%s '%s': %s at '%s'", scan->option, scan->text, what,
		       scan->at);
}
