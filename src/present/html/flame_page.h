/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages of flame graphs and heat maps. The build makes them from web/. */
#ifndef PRESENT_HTML_FLAME_PAGE_H
#define PRESENT_HTML_FLAME_PAGE_H

/* Complete HTML with style and scripts. @DATA@ occurs once, in place of the JSON. */
extern const char flame_page[];
extern const char heatmap_page[];

#endif
