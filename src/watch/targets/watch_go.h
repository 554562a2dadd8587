/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which watched functions are Go's, and where the goroutines are found that run them. */
#ifndef WATCH_TARGETS_WATCH_GO_H
#define WATCH_TARGETS_WATCH_GO_H

#include <stdint.h>

#include "base/vec.h"
#include "model/probe.h"
#include "watch/targets/watch_image.h"

/* Of one watch; zero-initialised. */
struct watch_goes {
	VEC(struct probe_go) list; /* each layout once; the first is not known */
	VEC(struct watch_go_text) texts;
};

/* The code of Go in an image, [start, end): what C brings along is not within. */
struct watch_go_text {
	const struct watch_image *image;
	uint64_t start, end; /* ELF addresses; 0, 0: there is none */
	uint8_t go;	     /* 1 + an index of the list */
	bool in_assembly;    /* g is found there too */
};

/* 1 + the index of the layout that goroutines have where the function at an ELF address runs; 0: it
 * is no function of Go. */
uint8_t watch_goes_of(struct watch_goes *goes, struct watch_image *image, uint64_t address);
void watch_goes_done(struct watch_goes *goes);

#endif
