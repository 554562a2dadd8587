/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binary trees of random keys, made, searched and freed: pointers, branches and the allocator.
 * Usage: btree SECONDS */
#include <stdlib.h>

#include "spin.h"

struct node {
	uint32_t key;
	struct node *child[2];
};

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static NOINLINE void insert(struct node **root, uint32_t key)
{
	while (*root) {
		if ((*root)->key == key)
			return;
		root = &(*root)->child[key > (*root)->key];
	}
	*root = calloc(1, sizeof(**root));
	if (*root)
		(*root)->key = key;
}

static NOINLINE int search(const struct node *node, uint32_t key)
{
	while (node && node->key != key)
		node = node->child[key > node->key];
	return node != NULL;
}

static void destroy(struct node *node)
{
	if (!node)
		return;
	destroy(node->child[0]);
	destroy(node->child[1]);
	free(node);
}

int main(int argc, char **argv)
{
	double wanted_ns = (argc > 1 ? atof(argv[1]) : 1) * 1e9;
	uint32_t state = 7;
	int found = 0;

	while ((double)spin_clock_ns(CLOCK_THREAD_CPUTIME_ID) < wanted_ns) {
		struct node *root = NULL;

		for (int i = 0; i < 5000; i++)
			insert(&root, next_random(&state));
		for (int i = 0; i < 20000; i++)
			found += search(root, next_random(&state));
		destroy(root);
	}
	return found == 1;
}
