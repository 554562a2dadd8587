/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of pprof's messages (model/pprof.h), with the checks of their types that "go tool pprof"
 * makes. Reasons name the message by its kind and its number among those of its kind. */
#ifndef IMPORT_PPROF_FIELDS_H
#define IMPORT_PPROF_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/protobuf.h"
#include "base/reader.h"

enum pprof_kind {
	PPROF_KIND_PROFILE,
	PPROF_KIND_TYPE,
	PPROF_KIND_SAMPLE,
	PPROF_KIND_LABEL,
	PPROF_KIND_MAPPING,
	PPROF_KIND_LOCATION,
	PPROF_KIND_LINE,
	PPROF_KIND_FUNCTION,
};

/* The first fault of a profile. */
struct pprof_fault {
	int rc; /* 0: none yet; -EBADMSG */
	struct err *err;
};

/* Keeps the fault if it is the first. */
#define PPROF_FAULT(fault, ...)                                      \
	((fault)->rc = (fault)->rc ? (fault)->rc                     \
				   : err_set((fault)->err, -EBADMSG, \
					     "invalid pprof profile: " __VA_ARGS__))

/* A message that is being read. */
struct pprof_message {
	enum pprof_kind kind;
	size_t number; /* among those of its kind, from 1; of lines and labels: of what has them */
	struct reader reader;
};

/* The word for messages of a kind in a reason. */
const char *pprof_fields_kind(enum pprof_kind kind);
/* True if the field has the type that messages of @kind give it, or is unknown there. */
bool pprof_fields_fit(enum pprof_kind kind, const struct protobuf_field *field);
/* Reads the next field. False: no more, or there was a fault, maybe before. */
bool pprof_fields_next(struct pprof_fault *fault, struct pprof_message *message,
		       struct protobuf_field *ret_field);
/* Reads the next number of a list, packed or not. Start with *started false. False: no more, or a
 * fault. */
bool pprof_fields_number(struct pprof_fault *fault, const struct pprof_message *message,
			 struct protobuf_field *list, bool *started, uint64_t *ret_number);

#endif
