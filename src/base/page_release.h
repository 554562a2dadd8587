/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives memory back in the middle of an array. The array keeps its indices and its size; pages of
 * which nothing is needed any more are the kernel's again and read as zeros.
 */
#ifndef BASE_PAGE_RELEASE_H
#define BASE_PAGE_RELEASE_H

#include <stdbool.h>
#include <stddef.h>

struct page_release {
	void *items;			    /* of malloc(3), not of a file */
	size_t count, size;		    /* how many, and the bytes of one */
	bool (*is_empty)(const void *item); /* all zero, and to stay so */
};

/* @number has just been emptied: gives back the pages it lies in, as far as all other items in them
 * are empty too. */
void page_release_item(const struct page_release *array, size_t number);

#endif
