/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Report options that cannot be used together. */
#ifndef VIEWS_CONTRADICTIONS_H
#define VIEWS_CONTRADICTIONS_H

#include "aggregate/keys.h"
#include "load/format.h"
#include "views/report.h"

/* The options and their meaning. */
struct given {
	const struct report_options *options;
	enum format format;
	bool grouped;		  /* a table is printed */
	struct key_list by;	  /* its keys */
	struct key_list merged;	  /* --merge */
	const struct key *column; /* --columns; NULL: none */
};

/* Calls @tell with a sentence for each contradiction. Returns their number. */
size_t contradictions_tell(const struct given *given,
			   void (*tell)(void *context, const char *sentence), void *context);

#endif
