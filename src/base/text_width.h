/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How wide a terminal draws characters. */
#ifndef BASE_TEXT_WIDTH_H
#define BASE_TEXT_WIDTH_H

#include <stddef.h>
#include <stdint.h>

/* The columns of a printable character: 0 for one that joins the character before it, 2 for a wide
 * one as in Chinese, else 1. */
size_t text_width(uint32_t point);

#endif
