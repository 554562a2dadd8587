/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a flame graph, from web/flame; the build makes it. */
#ifndef PRESENT_FLAME_PAGE_H
#define PRESENT_FLAME_PAGE_H

/* HTML with its style and scripts inside; @DATA@ stands once where JSON goes. */
extern const char flame_page[];

#endif
