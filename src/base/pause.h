/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call that long work makes now and then, so that something urgent does not wait. */
#ifndef BASE_PAUSE_H
#define BASE_PAUSE_H

struct pause {
	void (*call)(void *context); /* NULL: nothing is urgent */
	void *context;
};

/* @pause: NULL is fine. */
static inline void pause_take(const struct pause *pause)
{
	if (pause && pause->call)
		pause->call(pause->context);
}

#endif
