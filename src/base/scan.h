/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words, signs and numbers of what people type: conditions, selections, times, events, lists. Each
 * function moves *at past what it takes and returns true, or leaves it there and returns false.
 */
#ifndef BASE_SCAN_H
#define BASE_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* A whole number without sign or blanks. @base: 10, 16 (0x may precede), or 0: decimal, and
 * hexadecimal after 0x. False also if it needs more than 64 bits. */
bool scan_number(const char **at, int base, uint64_t *ret_number);
/* The same, and nothing may follow. */
bool scan_whole_number(const char *text, int base, uint64_t *ret_number);
/* At most @most (up to 19) decimal digits. False: there are none, or more. */
bool scan_digits(const char **at, unsigned most, uint64_t *ret_number);
/* ".25" as billionths; digits after the ninth are ignored. Without a point: true, 0. */
bool scan_fraction(const char **at, uint64_t *ret_billionths);
/* A finite decimal number, with a sign, a fraction and an exponent if it has some. */
bool scan_decimal(const char **at, double *ret_number);
/* A unit of time: ns, us, ms, s, m (also min), h, d. */
bool scan_time_unit(const char **at, uint64_t *ret_ns);

/* A text with blanks between its words. */
struct scan {
	const char *option; /* begins messages, before the quoted text: "invalid --fail-if" */
	const char *text;   /* the whole */
	const char *at;	    /* the rest */
	struct err *err;
};

void scan_blanks(struct scan *scan);
/* Takes @sign, after blanks. */
bool scan_sign(struct scan *scan, const char *sign);
/* The same for a word; no letter, digit or underscore may follow. */
bool scan_word(struct scan *scan, const char *word);
/* -EINVAL and one line: @what, as "expected a number", and the place. */
int scan_fail(const struct scan *scan, const char *what);

/* True for a letter, a digit, an underscore. */
bool scan_is_word(char character);

#endif
