/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages of flame graphs and heat maps, from web; the build makes them. */
#ifndef PRESENT_HTML_FLAME_PAGE_H
#define PRESENT_HTML_FLAME_PAGE_H

/* HTML with its style and scripts inside; @DATA@ stands once where JSON goes. */
extern const char flame_page[];
extern const char heatmap_page[];

#endif
