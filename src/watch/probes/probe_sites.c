/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/probes/probe_sites.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "base/xalloc.h"
#include "bpf/probe_wire.h"
#include "bpf/probes.skel.h"
#include "foreign/live_task.h"
#include "proc/proc_scan.h"
#include "watch/probes/probe_links.h"

enum {
	/* Each single uprobe takes a descriptor, and a tenth of a second to detach. */
	MOST_ONE_BY_ONE = 256,
	MOST_MAP_PATH = 96,
};

struct probe_sites {
	const struct probe_options *options;
	struct probes_bpf *object;
	struct ring_buffer *ring;
	int program;
	bool multi;
	size_t count;
	VEC(int) links;
	VEC(struct probe_site_event) events; /* of one round */
};

/* Places in one file for one kind of probe. */
struct batch {
	const char *path;
	enum probe_spot spot;
	uint32_t go;
	uint64_t inode;
	uint32_t device; /* in the kernel's encoding */
	VEC(unsigned long) offsets;
};

static enum probe_spot spot_of(enum probe_place_kind kind)
{
	static const enum probe_spot spots[] = {
		[PROBE_PLACE_SITE] = PROBE_SPOT_SITE,
		[PROBE_PLACE_CATCH] = PROBE_SPOT_CATCH,
		[PROBE_PLACE_LONGJMP] = PROBE_SPOT_LONGJMP,
		[PROBE_PLACE_GOEXIT] = PROBE_SPOT_GOEXIT,
	};

	return spots[kind];
}

/* ---- what the programs know of sites ---- */

static void set_state(const struct probe_sites *sites, const struct batch *batch,
		      unsigned long offset, uint32_t state)
{
	const struct probe_site_key key = { .inode = batch->inode,
					    .offset = offset,
					    .device = batch->device };

	if (batch->spot == PROBE_SPOT_SITE)
		bpf_map_update_elem(bpf_map__fd(sites->object->maps.sites), &key, &state, BPF_ANY);
}

/* The next call from this site reports it again. */
static void forget(const struct probe_sites *sites, const struct probe_site_key *key)
{
	bpf_map_delete_elem(bpf_map__fd(sites->object->maps.sites), key);
}

/* ---- linking ---- */

static int link_many(struct probe_sites *sites, const struct batch *batch,
		     const unsigned long *offsets, size_t count)
{
	uint64_t *cookies = xcalloc(count, sizeof(*cookies));
	pid_t pid = probe_link_only_pid(sites->options);
	int fd;

	for (size_t i = 0; i < count; i++)
		cookies[i] = (uint64_t)batch->go << PROBE_COOKIE_GO_SHIFT |
			     (uint64_t)batch->spot << PROBE_COOKIE_SPOT_SHIFT;
	fd = sites->multi ? probe_link_uprobe_multi(sites->program, batch->path, offsets, cookies,
						    count, false, pid)
			  : probe_link_uprobe(sites->program, batch->path, offsets[0], cookies[0],
					      false, pid);
	free(cookies);
	return fd;
}

/* Links all offsets that the kernel accepts: if one of many makes a link fail, tries halves. */
static void link_offsets(struct probe_sites *sites, const struct batch *batch,
			 const unsigned long *offsets, size_t count)
{
	size_t most = sites->multi ? PROBE_MOST_SITES : MOST_ONE_BY_ONE;
	int fd = -E2BIG;

	if (count == 0)
		return;
	if ((sites->multi || count == 1) && sites->count + count <= most)
		fd = link_many(sites, batch, offsets, count);
	if (fd < 0 && count > 1 && (!sites->multi || !probe_link_is_general(fd))) {
		link_offsets(sites, batch, offsets, count / 2);
		link_offsets(sites, batch, offsets + count / 2, count - count / 2);
		return;
	}
	if (fd >= 0) {
		*vec_push(&sites->links) = fd;
		sites->count += count;
	}
	for (size_t i = 0; i < count; i++)
		set_state(sites, batch, offsets[i], fd < 0 ? PROBE_SITE_REFUSED : PROBE_SITE_ARMED);
}

/* Links adjacent places with the same path and kind; returns how many. */
static size_t link_known(struct probe_sites *sites, const struct probe_place *places, size_t count)
{
	struct batch batch = { .path = places[0].path,
			       .spot = spot_of(places[0].kind),
			       .go = places[0].go,
			       .inode = places[0].inode,
			       .device = probe_programs_device(places[0].device) };
	size_t taken = 0;

	while (taken < count && places[taken].kind == places[0].kind &&
	       places[taken].go == places[0].go && strcmp(places[taken].path, places[0].path) == 0)
		*vec_push(&batch.offsets) = places[taken++].offset;
	link_offsets(sites, &batch, batch.offsets.items, batch.offsets.count);
	vec_free(&batch.offsets);
	return taken;
}

/* ---- sites that are met ---- */

static int take_event(void *context, void *data, size_t size)
{
	struct probe_sites *sites = context;

	if (size >= sizeof(struct probe_site_event))
		memcpy(vec_push(&sites->events), data, sizeof(struct probe_site_event));
	return 0;
}

/* Finds a path that opens a mapped file of a process, whatever its name is by now. */
struct map_search {
	const struct probe_site_event *event;
	char path[MOST_MAP_PATH]; /* "": not found */
};

static void take_map(void *context, int32_t pid, const struct proc_map *map)
{
	struct map_search *search = context;
	uint64_t address = search->event->address;

	if (address >= map->start && address < map->end &&
	    address - map->start + map->offset == search->event->key.offset)
		snprintf(search->path, sizeof(search->path),
			 "/proc/%" PRId32 "/map_files/%" PRIx64 "-%" PRIx64, live_task(pid),
			 map->start, map->end);
}

static void find_path(struct map_search *search, struct foreign *foreign)
{
	const struct proc_visitor visitor = { .map = take_map,
					      .context = search,
					      .foreign = foreign };

	search->path[0] = '\0';
	proc_scan_one((int32_t)search->event->pid, &visitor, NULL);
}

static bool is_of_file(const struct batch *batch, const struct probe_site_event *event)
{
	return event->key.inode == batch->inode && event->key.device == batch->device &&
	       event->go == batch->go;
}

/* Links the sites from @first on that are in the same file. */
static void serve_file(struct probe_sites *sites, size_t first)
{
	const struct probe_options *options = sites->options;
	struct map_search search = { .event = &sites->events.items[first] };
	struct batch batch = { .spot = PROBE_SPOT_SITE,
			       .go = search.event->go,
			       .inode = search.event->key.inode,
			       .device = search.event->key.device };

	find_path(&search, options->foreign);
	batch.path = search.path;
	for (size_t i = first; i < sites->events.count; i++) {
		struct probe_site_event *event = &sites->events.items[i];

		if (!is_of_file(&batch, event))
			continue;
		if (!*search.path && i == first)
			forget(sites, &event->key);
		else if (*search.path && options->may_probe &&
			 options->may_probe(options->may_probe_context, search.path,
					    event->key.offset))
			*vec_push(&batch.offsets) = event->key.offset;
		else if (*search.path)
			set_state(sites, &batch, event->key.offset, PROBE_SITE_REFUSED);
		else
			continue; /* another process may still have mapped the file */
		event->pid = 0;
	}
	link_offsets(sites, &batch, batch.offsets.items, batch.offsets.count);
	vec_free(&batch.offsets);
}

void probe_sites_serve(struct probe_sites *sites)
{
	ring_buffer__consume(sites->ring);
	for (size_t i = 0; i < sites->events.count; i++) {
		if (sites->events.items[i].pid)
			serve_file(sites, i);
	}
	sites->events.count = 0;
}

/* ---- life ---- */

int probe_sites_new(const struct probe_options *options, struct probe_programs *programs,
		    struct probe_sites **ret_sites, struct err *err)
{
	_cleanup_(probe_sites_freep) struct probe_sites *sites = NULL;
	enum probe_mechanism mechanism;

	*ret_sites = NULL;
	if (!(options->measures & PROBE_EXITS) ||
	    (!probes_need_sites(options) && !options->place_count))
		return 0;
	mechanism = probes_mechanism(true, 1);
	sites = xcalloc(1, sizeof(*sites));
	sites->options = options;
	sites->object = probe_programs_object(programs);
	sites->multi = mechanism == PROBE_UPROBE_MULTI;
	sites->program = probe_programs_get(programs, mechanism, true, PROBE_AT_SPOT);
	sites->ring = ring_buffer__new(bpf_map__fd(sites->object->maps.site_events), take_event,
				       sites, NULL);
	if (!sites->ring)
		return err_set(err, -errno, "cannot read the ring of call sites: %s",
			       strerror(errno));
	for (size_t i = 0; i < options->place_count && sites->program >= 0;)
		i += link_known(sites, options->places + i, options->place_count - i);
	*ret_sites = steal_ptr(sites);
	return 0;
}

void probe_sites_free(struct probe_sites *sites)
{
	if (!sites)
		return;
	for (size_t i = 0; i < sites->links.count; i++)
		close(sites->links.items[i]);
	vec_free(&sites->links);
	vec_free(&sites->events);
	ring_buffer__free(sites->ring);
	free(sites);
}

int probe_sites_fd(const struct probe_sites *sites)
{
	return ring_buffer__epoll_fd(sites->ring);
}

size_t probe_sites_count(const struct probe_sites *sites)
{
	return sites->count;
}
