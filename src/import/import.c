/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/open_limit.h"
#include "base/xalloc.h"
#include "import/collapsed.h"
#include "import/import_profile.h"
#include "import/perf_data.h"
#include "import/perf_data_input.h"
#include "import/perf_script.h"
#include "import/pprof.h"
#include "names/lines/line_service.h"
#include "store/record_output.h"

static bool is_stdin(const struct import_options *options)
{
	return strcmp(options->input, "-") == 0;
}

/* For a recording that is a folder, opens its file "data", which has the head. The caller closes
 * *ret_folder; -1: the input is not a folder. */
static int open_input(const struct import_options *options, struct perf_data_input *input,
		      int *ret_folder, struct err *err)
{
	int fd = is_stdin(options) ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
				   : open(options->input, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return err_set(err, -errno, "cannot open: %s", strerror(errno));
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		*ret_folder = fd;
		fd = openat(*ret_folder, "data", O_RDONLY | O_CLOEXEC);
	}
	if (fd < 0)
		return err_set(err, -errno,
			       "a folder, but not a recording of perf: its file data: %s",
			       strerror(errno));
	perf_data_input_begin(input, fd);
	return 0;
}

/* perf record --kcore keeps the kernel's symbols in the folder. The caller frees the path; NULL:
 * not needed, or no such file. */
static char *kept_kallsyms(const struct import_options *options)
{
	_cleanup_free_ char *path = xasprintf("%s/kcore_dir/kallsyms", options->input);

	if (is_stdin(options) || options->kallsyms || options->vmlinux || access(path, R_OK) < 0)
		return NULL;
	return steal_ptr(path);
}

enum { LOOK_BYTES = 16384 };

/* Returns the first bytes, borrowed until the next read. Skips a byte order mark, which some
 * editors write before UTF-8 text. */
static size_t look(struct perf_data_input *input, const uint8_t **ret_bytes)
{
	static const uint8_t mark[] = { 0xef, 0xbb, 0xbf };
	size_t there = perf_data_input_peek(input, LOOK_BYTES, ret_bytes);

	if (there > sizeof(mark) && memcmp(*ret_bytes, mark, sizeof(mark)) == 0) {
		perf_data_input_skip(input, sizeof(mark));
		there = perf_data_input_peek(input, LOOK_BYTES, ret_bytes);
	}
	/* The first line may be longer. */
	if (there && !memchr(*ret_bytes, '\n', there))
		there = perf_data_input_peek(input, PERF_DATA_BUFFER_BYTES, ret_bytes);
	return there;
}

/* By the first bytes; the first one that fits counts. */
static const struct {
	bool (*is)(const void *bytes, size_t size);
	int (*read)(struct import_profile *import, struct perf_data_input *input,
		    struct import_result *result, struct err *err);
} readers[] = {
	{ perf_data_is, import_data },
	{ perf_script_is, import_script },
	{ collapsed_is, import_collapsed },
	{ pprof_is, import_pprof },
};

static int read_input(struct import_profile *import, struct perf_data_input *input,
		      struct import_result *result, struct err *err)
{
	const uint8_t *bytes;
	size_t there = look(input, &bytes);

	if (input->error)
		return err_set(err, input->error, "cannot be read: %s", strerror(-input->error));
	if (there == 0)
		return err_set(err, -ENODATA, "empty file");
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		if (readers[i].is(bytes, there))
			return readers[i].read(import, input, result, err);
	}
	return err_set(err, -EINVAL,
		       "unknown format: expected perf.data, perf script output, a pprof profile or "
		       "collapsed stacks");
}

int import_check(const struct import_options *options, struct err *err)
{
	const struct line_options names = { .symfs = options->symfs,
					    .debug_folders = options->debug_folders,
					    .debug_folder_count = options->debug_folder_count };
	const char *value = options->value;
	int rc = record_output_check(options->output, err);

	if (rc < 0)
		return rc;
	if (value && strcmp(value, "samples") != 0 && strcmp(value, "weight") != 0)
		return err_set(err, -EINVAL, "invalid --value '%s': expected samples or weight",
			       value);
	return line_service_check(&names, err);
}

int import_run(const struct import_options *options, struct import_result *ret_result,
	       struct err *err)
{
	const char *name = is_stdin(options) ? "standard input" : options->input;
	_cleanup_free_ char *kallsyms = kept_kallsyms(options);
	struct import_options given = *options;
	struct import_profile import = { .profile = NULL };
	struct perf_data_input input = { .fd = -1 };
	_cleanup_close_ int folder = -1;
	int rc;

	*ret_result = (struct import_result){ .kept = false };
	open_limit_raise(); /* a folder may have a file for each CPU */
	rc = open_input(options, &input, &folder, err);
	if (rc < 0)
		return err_prefix(err, rc, "%s", name);
	if (kallsyms)
		given.kallsyms = kallsyms;
	rc = import_profile_begin(&import, &given, err);
	if (rc == 0) {
		import.folder = folder;
		rc = read_input(&import, &input, ret_result, err);
		if (rc < 0)
			err_prefix(err, rc, "%s", name);
	}
	if (rc == 0)
		rc = import_profile_finish(&import, ret_result, err);
	import_profile_done(&import);
	perf_data_input_done(&input);
	return rc;
}
