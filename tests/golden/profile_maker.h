/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts that the profiles of the golden tests are made of. */
#ifndef TESTS_GOLDEN_PROFILE_MAKER_H
#define TESTS_GOLDEN_PROFILE_MAKER_H

#include "base/clock.h"
#include "store/store.h"

enum { START_S = 1000 };

struct maker {
	struct profile *profile;
	struct store_writer *writer;
	uint64_t time_ns;
	uint32_t added; /* samples, gives each its CPU */
};

/* All of these write into maker->profile; ids are its. */
str_id text(struct maker *maker, const char *string);
uint8_t add_event(struct maker *maker, const char *name, const char *unit, enum clock_kind clock);
/* Two CPUs for 5 s; 997 Hz of cpu-clock. */
void begin_run(struct maker *maker);
uint32_t add_process(struct maker *maker, const char *program, int32_t pid, bool in_command);
uint32_t add_task(struct maker *maker, uint32_t process, const char *comm);
uint32_t add_program(struct maker *maker, const char *program, int32_t pid, bool in_command);
uint32_t add_image(struct maker *maker, enum image_kind kind, const char *path);
/* A stack of one frame, @distance bytes into a function. */
uint32_t add_address(struct maker *maker, const struct symbol *symbol, uint64_t distance);
uint32_t add_place(struct maker *maker, uint32_t image, const char *name, uint64_t start,
		   enum symbol_kind kind);
/* @count samples, spread over the run, of 1 ms (or 1 million) each with 20 % of jitter. */
void add_hits(struct maker *maker, uint32_t task, uint32_t stack, enum mode mode,
	      enum context context, uint8_t event, int count);
/* A thread did not run for so long, and then does; nothing else happens meanwhile. */
void add_wait(struct maker *maker, uint32_t task, uint32_t stack, uint8_t event,
	      uint64_t length_ns);
/* An image in the folder the report is made in, with a build id of twenty bytes like @byte. */
uint32_t add_file(struct maker *maker, enum image_kind kind, const char *path, int byte);
/* The caller @parent (0: none) calls the function of this name; each name has its own place. */
uint32_t add_callee(struct maker *maker, uint32_t parent, uint32_t image, const char *name);
/* The root of stacks that are cut for this reason. */
uint32_t add_cut(struct maker *maker, enum stack_end end);
/* A chain of callees in one image; the names end with NULL. */
uint32_t add_chain(struct maker *maker, uint32_t parent, uint32_t image, const char *const *names);

#define CHAIN(parent, image, ...) \
	add_chain(maker, parent, image, (const char *const[]){ __VA_ARGS__, NULL })

#endif
