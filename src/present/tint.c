/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/tint.h"

/* ECMA-48, select graphic rendition. */
static const char *const begins[TINT_COUNT] = {
	[TINT_NONE] = "",	  [TINT_TITLE] = "\033[1m", [TINT_FAINT] = "\033[2m",
	[TINT_WARM] = "\033[33m", [TINT_HOT] = "\033[31m",  [TINT_HOTTEST] = "\033[1;31m", [TINT_BETTER] = "\033[32m",
};

/* The least percent of each colour. */
static const struct {
	double percent;
	enum tint tint;
} heat[] = {
	{ 10, TINT_HOTTEST },
	{ 3, TINT_HOT },
	{ 0.5, TINT_WARM },
};

enum tint tint_of_share(double percent)
{
	for (size_t i = 0; i < sizeof(heat) / sizeof(heat[0]); i++) {
		if (percent >= heat[i].percent)
			return heat[i].tint;
	}
	return TINT_FAINT;
}

const char *tint_begin(bool colour, enum tint tint)
{
	return colour ? begins[tint] : "";
}

const char *tint_end(bool colour, enum tint tint)
{
	return colour && tint != TINT_NONE ? "\033[0m" : "";
}

void tint_add(struct buf *buf, bool colour, enum tint tint, const char *text)
{
	buf_add_str(buf, tint_begin(colour, tint));
	buf_add_str(buf, text);
	buf_add_str(buf, tint_end(colour, tint));
}
