/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of a pprof profile, as documented in proto/profile.proto of github.com/google/pprof.
 * All texts are indices into the table of strings, whose first is "".
 */
#ifndef MODEL_PPROF_H
#define MODEL_PPROF_H

enum pprof_field {
	PPROF_SAMPLE_TYPE = 1, /* repeated pprof_type_field */
	PPROF_SAMPLE = 2,      /* repeated pprof_sample_field */
	PPROF_MAPPING = 3,     /* repeated pprof_mapping_field */
	PPROF_LOCATION = 4,    /* repeated pprof_location_field */
	PPROF_FUNCTION = 5,    /* repeated pprof_function_field */
	PPROF_STRING = 6,      /* repeated text */
	PPROF_DROP_FRAMES = 7, /* text, as the next */
	PPROF_KEEP_FRAMES = 8,
	PPROF_TIME_NS = 9,     /* since 1970 */
	PPROF_DURATION_NS = 10,
	PPROF_PERIOD_TYPE = 11, /* pprof_type_field */
	PPROF_PERIOD = 12,
	PPROF_COMMENT = 13, /* repeated string */
	PPROF_DEFAULT_TYPE = 14,
};

enum pprof_type_field {
	PPROF_TYPE_NAME = 1,
	PPROF_TYPE_UNIT = 2,
};

enum pprof_sample_field {
	PPROF_SAMPLE_LOCATION = 1, /* repeated ids, the innermost first */
	PPROF_SAMPLE_VALUE = 2,	   /* repeated, one for each sample type */
	PPROF_SAMPLE_LABEL = 3,	   /* repeated pprof_label_field */
};

enum pprof_label_field {
	PPROF_LABEL_KEY = 1,
	PPROF_LABEL_TEXT = 2,
	PPROF_LABEL_NUMBER = 3,
	PPROF_LABEL_UNIT = 4, /* of the number */
};

enum pprof_mapping_field {
	PPROF_MAPPING_ID = 1,
	PPROF_MAPPING_START = 2,
	PPROF_MAPPING_LIMIT = 3,
	PPROF_MAPPING_OFFSET = 4,
	PPROF_MAPPING_FILE = 5,
	PPROF_MAPPING_BUILD_ID = 6, /* in hexadecimal */
	PPROF_MAPPING_HAS_FUNCTIONS = 7,
	PPROF_MAPPING_HAS_FILES = 8,
	PPROF_MAPPING_HAS_LINES = 9,
	PPROF_MAPPING_HAS_INLINES = 10,
};

enum pprof_location_field {
	PPROF_LOCATION_ID = 1,
	PPROF_LOCATION_MAPPING = 2,
	PPROF_LOCATION_ADDRESS = 3,
	PPROF_LOCATION_LINE = 4, /* repeated pprof_line_field, the innermost inlined one first */
	PPROF_LOCATION_IS_FOLDED = 5,
};

enum pprof_line_field {
	PPROF_LINE_FUNCTION = 1,
	PPROF_LINE_NUMBER = 2,
};

enum pprof_function_field {
	PPROF_FUNCTION_ID = 1,
	PPROF_FUNCTION_NAME = 2,
	PPROF_FUNCTION_LINKAGE = 3,
	PPROF_FUNCTION_FILE = 4,
	PPROF_FUNCTION_LINE = 5, /* where it begins */
};

/* Our conventions where the format leaves a choice. Import knows our profiles by the comment. */
#define PPROF_OUR_COMMENT    "made by prospect "
#define PPROF_SAMPLES_SUFFIX "-samples" /* EVENT-samples: number of samples; EVENT: their weight */
#define PPROF_LABEL_PROCESS  "process"	/* program#instance */
#define PPROF_LABEL_THREAD   "thread"
#define PPROF_LABEL_PID	     "pid"
#define PPROF_LABEL_TID	     "tid"
#define PPROF_LABEL_MODE     "mode"
#define PPROF_LABEL_CONTEXT  "context"		 /* only if it is not "task" */
#define PPROF_KERNEL_FILE    "[kernel.kallsyms]" /* as perf calls it */

#endif
