/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/debug_files/debuginfod.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/dynamic_library.h"
#include "base/xalloc.h"

enum {
	/* A server that sends nothing for this long is given up. */
	MOST_SILENT_SECONDS = 15,
	PROGRESS_MS = 500, /* how often to report progress */
};

struct debuginfod_client;
typedef int (*progress_function)(struct debuginfod_client *client, long done, long total);

/* debuginfod_find_debuginfo(3) */
struct debuginfod_client *debuginfod_begin(void);
void debuginfod_end(struct debuginfod_client *client);
int debuginfod_find_debuginfo(struct debuginfod_client *client, const unsigned char *build_id,
			      int size, char **ret_path);
void debuginfod_set_progressfn(struct debuginfod_client *client, progress_function function);
void debuginfod_set_user_data(struct debuginfod_client *client, void *data);
void *debuginfod_get_user_data(struct debuginfod_client *client);

#define FUNCTIONS(X)                 \
	X(debuginfod_begin)          \
	X(debuginfod_end)            \
	X(debuginfod_find_debuginfo) \
	X(debuginfod_set_progressfn) \
	X(debuginfod_set_user_data)  \
	X(debuginfod_get_user_data)

struct library {
	FUNCTIONS(DYNAMIC_LIBRARY_POINTER)
};

struct debuginfod {
	void (*progress)(void *context, const char *what);
	void *progress_context;
	struct library library;
	struct debuginfod_client *client;
	bool tried;
	int failed; /* negative errno and reason why no server can be asked any more; 0: it can */
	struct err why;
	/* of the current file */
	uint64_t last_come_ns, last_told_ns;
	long done;
	bool timed_out, told;
};

struct debuginfod *debuginfod_new(void (*progress)(void *context, const char *what),
				  void *progress_context)
{
	struct debuginfod *servers = xcalloc(1, sizeof(*servers));

	servers->progress = progress;
	servers->progress_context = progress_context;
	return servers;
}

void debuginfod_free(struct debuginfod *servers)
{
	if (!servers)
		return;
	if (servers->client)
		servers->library.debuginfod_end(servers->client);
	free(servers);
}

/* The library stays loaded: its dependencies (TLS, threads) cannot be unloaded. */
static int load(struct library *ret_library, struct err *err)
{
	static const char *const names[] = { FUNCTIONS(DYNAMIC_LIBRARY_NAME) NULL };

	return dynamic_library_load("libdebuginfod.so.1", names,
				    "libdebuginfod.so.1 is not installed: apt install "
				    "libdebuginfod1",
				    ret_library, err);
}

static void tell(struct debuginfod *servers, uint64_t now, long done, long total)
{
	char what[96];

	if (!servers->progress || now - servers->last_told_ns < PROGRESS_MS * NS_PER_MS)
		return;
	servers->last_told_ns = now;
	servers->told = true;
	if (total > 0)
		snprintf(what, sizeof(what), "debuginfod: %ld of %ld KiB", done / 1024,
			 total / 1024);
	else
		snprintf(what, sizeof(what), "debuginfod: waiting for an answer");
	servers->progress(servers->progress_context, what);
}

/* The library's callback has no context argument, but the library stores one for the client. */
static struct debuginfod *owner_of(struct debuginfod_client *client)
{
	struct library library;

	return load(&library, NULL) == 0 ? library.debuginfod_get_user_data(client) : NULL;
}

/* The library calls it several times a second; nonzero stops the transfer. */
static int on_progress(struct debuginfod_client *client, long done, long total)
{
	struct debuginfod *servers = owner_of(client);
	uint64_t now = clock_ns();

	if (!servers)
		return 0;
	if (done != servers->done) {
		servers->done = done;
		servers->last_come_ns = now;
	}
	tell(servers, now, done, total);
	servers->timed_out = now - servers->last_come_ns > MOST_SILENT_SECONDS * NS_PER_S;
	return servers->timed_out;
}

static int begin(struct debuginfod *servers, struct err *err)
{
	const char *urls = secure_getenv("DEBUGINFOD_URLS");
	struct library *library = &servers->library;
	int rc;

	if (!urls || !*urls)
		return err_set(err, -ENOENT, "DEBUGINFOD_URLS names no debuginfod server");
	rc = load(library, err);
	if (rc < 0)
		return rc;
	servers->client = library->debuginfod_begin();
	if (!servers->client)
		return err_set(err, -ENOENT, "libdebuginfod.so.1 cannot be used");
	library->debuginfod_set_user_data(servers->client, servers);
	library->debuginfod_set_progressfn(servers->client, on_progress);
	return 0;
}

static int explain(struct debuginfod *servers, int rc, struct err *err)
{
	if (servers->timed_out) {
		servers->failed = err_set(&servers->why, -ETIMEDOUT,
					  "the servers of DEBUGINFOD_URLS did not answer for %d "
					  "seconds",
					  MOST_SILENT_SECONDS);
		return err_set(err, servers->failed, "%s", servers->why.text);
	}
	if (rc == -ENOENT)
		return err_set(err, -ENOENT, "no server of DEBUGINFOD_URLS has it");
	return err_set(err, rc, "the servers of DEBUGINFOD_URLS: %s", strerror(-rc));
}

int debuginfod_fetch(struct debuginfod *servers, const struct elf_build_id *build_id,
		     char **ret_path, struct err *err)
{
	int rc;

	if (!servers->tried) {
		servers->tried = true;
		servers->failed = begin(servers, &servers->why);
	}
	if (servers->failed)
		return err_set(err, servers->failed, "%s", servers->why.text);
	servers->last_come_ns = servers->last_told_ns = clock_ns();
	servers->done = 0;
	servers->timed_out = servers->told = false;
	rc = servers->library.debuginfod_find_debuginfo(servers->client, build_id->bytes,
							build_id->size, ret_path);
	if (servers->progress && servers->told)
		servers->progress(servers->progress_context, "");
	return rc < 0 ? explain(servers, rc, err) : rc;
}
