/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/watch.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "foreign/foreign.h"
#include "perf/cpu_list.h"
#include "watch/probes/probe_conditions.h"

enum {
	COMM_MOST = 15, /* TASK_COMM_LEN without the final NUL */
};

struct watch_request {
	struct metric_set metrics;
	struct probe_counter counters[PROBE_COUNTERS];
	bool returns;		 /* return values are needed */
	struct foreign *foreign; /* reads files that may not answer */
	struct watch_targets *targets;
	int *cpus;
	size_t cpu_count;
	struct probe_options probes;
};

static const struct {
	const char *name;
	enum probe_key key;
} keys[] = {
	{ "sum", PROBE_BY_SUM },       { "cpu", PROBE_BY_CPU },	  { "pid", PROBE_BY_PID },
	{ "thread", PROBE_BY_THREAD }, { "comm", PROBE_BY_COMM },
};

static int parse_key(const char *text, enum probe_key *ret_key, struct err *err)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!text || strcmp(text, keys[i].name) == 0) {
			*ret_key = keys[i].key;
			return 0;
		}
	}
	return err_set(err, -EINVAL, "invalid --by '%s': expected sum, cpu, pid, thread or comm",
		       text);
}

static int check_pids(const struct watch_words *words, struct err *err)
{
	for (size_t i = 0; i < words->pid_count && !words->pids_may_end; i++) {
		if (kill(words->pids[i], 0) < 0 && errno == ESRCH)
			return err_set(err, -ESRCH, "-p: process %" PRId32 " does not exist",
				       words->pids[i]);
	}
	return 0;
}

/* A CPU that is not online runs no calls. If the list of online CPUs cannot be read, any is
 * fine. */
static int check_cpus(const struct watch_request *request, struct err *err)
{
	_cleanup_free_ int *online = NULL;
	size_t count;

	if (!request->cpu_count || cpu_list_online(&online, &count, NULL) < 0)
		return 0;
	for (size_t i = 0; i < request->cpu_count; i++) {
		if (!cpu_list_has(online, count, request->cpus[i]))
			return err_set(err, -EINVAL, "--cpu: CPU %d is not online",
				       request->cpus[i]);
	}
	return 0;
}

static int check_comms(const struct watch_words *words, struct err *err)
{
	for (size_t i = 0; i < words->comm_count; i++) {
		if (strlen(words->comms[i]) > COMM_MOST)
			return err_set(err, -EINVAL,
				       "--comm '%s': thread names have at most %d bytes",
				       words->comms[i], COMM_MOST);
	}
	return 0;
}

static int parse_filter(const struct watch_words *words, struct watch_request *request,
			struct err *err)
{
	struct probe_filter *filter = &request->probes.filter;
	int rc = 0;

	if (words->cpus)
		rc = cpu_list_parse(words->cpus, &request->cpus, &request->cpu_count, err);
	if (rc == 0)
		rc = check_cpus(request, err);
	if (rc == 0)
		rc = check_comms(words, err);
	if (rc == 0)
		rc = check_pids(words, err);
	if (rc < 0)
		return rc;
	*filter = (struct probe_filter){ .follow = words->follow,
					 .pids = words->pids,
					 .pid_count = words->pid_count,
					 .cpus = request->cpus,
					 .cpu_count = request->cpu_count,
					 .comms = words->comms,
					 .comm_count = words->comm_count,
					 .condition = words->condition };
	return 0;
}

static int find_targets(const struct watch_words *words, struct watch_request *request,
			struct err *err)
{
	struct watch_target_options options = words->targets;
	int rc;

	options.pid = words->pid_count ? words->pids[0] : 0;
	options.alone = words->pid_count == 1;
	options.exits = request->probes.measures & PROBE_EXITS;
	options.returns = request->returns;
	options.foreign = request->foreign;
	rc = watch_targets_new(&options, &request->targets, err);
	if (rc < 0)
		return rc;
	watch_targets_give(request->targets, &request->probes);
	return 0;
}

static void choose_measures(const struct watch_words *words, struct watch_request *request)
{
	const struct metric_set *set = &request->metrics;

	for (size_t i = 0; i < set->counter_count; i++)
		request->counters[i] = metric_counter(set->counters[i])->counter;
	request->probes.counters = request->counters;
	request->probes.counter_count = set->counter_count;
	request->probes.measures =
		(set->exits || words->values ? PROBE_EXITS : 0) |
		(set->virtual_time ? PROBE_VIRTUAL : 0) | (set->latency ? PROBE_LATENCY : 0) |
		(words->values ? PROBE_VALUES : 0) | (set->moved ? PROBE_MOVED : 0);
}

static int make(const struct watch_words *words, struct watch_request *request, struct err *err)
{
	struct probe_conditions conditions;
	bool exits;
	int rc = metric_set_parse(words->metrics ? words->metrics : METRIC_DEFAULTS,
				  &request->metrics, err);

	if (rc == 0)
		rc = parse_key(words->by, &request->probes.key, err);
	if (rc == 0)
		rc = parse_filter(words, request, err);
	request->probes.error_if = words->error_if;
	if (rc == 0)
		rc = probe_conditions_parse(&request->probes, &conditions, err);
	if (rc < 0)
		return rc;
	exits = probe_conditions_need_exits(&conditions);
	choose_measures(words, request);
	if (exits)
		request->probes.measures |= PROBE_EXITS;
	request->returns = exits || words->values || request->metrics.errors;
	rc = find_targets(words, request, err);
	/* Check again: not every condition suits every target. */
	return rc < 0 ? rc : probe_conditions_parse(&request->probes, &conditions, err);
}

int watch_request_new(const struct watch_words *words, struct watch_request **ret_request,
		      struct err *err)
{
	_cleanup_(watch_request_freep) struct watch_request *request = xcalloc(1, sizeof(*request));
	int rc;

	request->foreign = foreign_new((struct pause){ 0 });
	request->probes.foreign = request->foreign;
	rc = make(words, request, err);
	if (rc == 0)
		*ret_request = steal_ptr(request);
	return rc;
}

void watch_request_free(struct watch_request *request)
{
	if (!request)
		return;
	watch_targets_free(request->targets);
	foreign_free(request->foreign);
	free(request->cpus);
	free(request);
}

const struct probe_options *watch_request_probes(const struct watch_request *request)
{
	return &request->probes;
}

const struct metric_set *watch_request_metrics(const struct watch_request *request)
{
	return &request->metrics;
}

const char *watch_request_note(const struct watch_request *request, size_t index)
{
	return watch_targets_note(request->targets, index);
}

int watch_request_list(const struct watch_words *words, enum watch_listing listing,
		       struct buf *text, struct err *err)
{
	struct watch_request request = { .cpus = NULL };
	struct watch_target_options options = words->targets;
	_cleanup_(foreign_freep) struct foreign *foreign = foreign_new((struct pause){ 0 });
	int rc = parse_filter(words, &request, err);

	options.foreign = foreign;
	options.pid = words->pid_count ? words->pids[0] : 0;
	if (rc == 0)
		rc = watch_listing_make(listing, &options, text, err);
	free(request.cpus);
	return rc;
}
