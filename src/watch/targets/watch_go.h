/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds out which watched functions are Go code, and how to find the goroutine that runs one. */
#ifndef WATCH_TARGETS_WATCH_GO_H
#define WATCH_TARGETS_WATCH_GO_H

#include <stdint.h>

#include "base/vec.h"
#include "model/probe.h"
#include "watch/targets/watch_image.h"

/* The Go layouts and code of one watch; zero-initialised. */
struct watch_goes {
	VEC(struct probe_go) list; /* each layout once; the first stands for unknown */
	VEC(struct watch_go_text) texts;
};

/* The Go code of an image: [start, end), which excludes C code linked into it. */
struct watch_go_text {
	const struct watch_image *image;
	uint64_t start, end; /* ELF addresses; 0, 0: no Go code */
	uint8_t go;	     /* 1 + an index of watch_goes.list */
	bool in_assembly;    /* assembly functions can find g, too */
};

/* 1 + the index of the goroutine layout for the function at an ELF address; 0: it is not Go
 * code. */
uint8_t watch_goes_of(struct watch_goes *goes, struct watch_image *image, uint64_t address);
void watch_goes_done(struct watch_goes *goes);

#endif
