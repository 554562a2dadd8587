/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of a report that do not go together. */
#ifndef VIEWS_CONTRADICTIONS_H
#define VIEWS_CONTRADICTIONS_H

#include "aggregate/keys.h"
#include "load/format.h"
#include "views/report.h"

/* The options and what they come to. */
struct given {
	const struct report_options *options;
	enum format format;
	bool grouped;		  /* a table is wanted */
	struct key_list by;	  /* its keys */
	struct key_list merged;	  /* --merge */
	const struct key *column; /* --columns; NULL: none */
};

/* Calls @tell with a sentence for each contradiction; returns how many there are. */
size_t contradictions_tell(const struct given *given,
			   void (*tell)(void *context, const char *sentence), void *context);

#endif
