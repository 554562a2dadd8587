/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/event_sources.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/dynamic_library.h"

/* The functions we call. Callers pass the size of each struct, so later releases of libpfm.so.4,
 * the soname since 2010, accept older structs. */
#define FUNCTIONS(X)               \
	X(pfm_initialize)          \
	X(pfm_strerror)            \
	X(pfm_get_pmu_info)        \
	X(pfm_get_event_next)      \
	X(pfm_get_event_info)      \
	X(pfm_get_event_attr_info) \
	X(pfm_get_os_event_encoding)

/* Stays loaded: pfm_initialize prepares tables that later calls use again. */
struct library {
	FUNCTIONS(DYNAMIC_LIBRARY_POINTER)
};

static int load(struct library *ret_library, struct err *err)
{
	static const char *const names[] = { FUNCTIONS(DYNAMIC_LIBRARY_NAME) NULL };
	int rc = dynamic_library_load("libpfm.so.4", names,
				      "libpfm.so.4 is not installed (package libpfm4)", ret_library,
				      err);

	if (rc < 0)
		return -ENOSYS;
	if (ret_library->pfm_initialize() != PFM_SUCCESS)
		return err_set(err, -ENOSYS, "libpfm.so.4 does not work here");
	return 0;
}

static void take_attr(const struct perf_event_attr *attr, struct event_spec *spec)
{
	spec->type = attr->type;
	spec->config = attr->config;
	spec->config1 = attr->config1;
	spec->config2 = attr->config2;
	spec->exclude_user = attr->exclude_user;
	spec->exclude_kernel = attr->exclude_kernel;
	spec->hardware = attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT;
}

int event_library_find(const char *name, struct event_spec *spec, struct err *err)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t request = { .attr = &attr, .size = sizeof(request), .cpu = -1 };
	struct library library = { 0 };
	int rc = load(&library, err);

	if (rc < 0)
		return rc;
	rc = library.pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT,
					       &request);
	if (rc != PFM_SUCCESS)
		return err_set(err,
			       rc == PFM_ERR_NOTFOUND || rc == PFM_ERR_NOTSUPP ? -ENOENT : -EINVAL,
			       "'%s': libpfm4: %s", name, library.pfm_strerror(rc));
	take_attr(&attr, spec);
	return 0;
}

/* ---- listing ---- */

/* The two PMUs of libpfm that only repeat the kernel's own event names. */
static bool is_own(pfm_pmu_t pmu)
{
	return pmu == PFM_PMU_PERF_EVENT || pmu == PFM_PMU_PERF_EVENT_RAW;
}

static void list_masks(const struct library *library, const pfm_event_info_t *info,
		       struct buf *masks)
{
	for (int pass = 0; pass < 2; pass++) {
		bool defaults = pass == 0;

		for (int i = 0; i < info->nattrs; i++) {
			pfm_event_attr_info_t attribute = { .size = sizeof(attribute) };

			if (library->pfm_get_event_attr_info(info->idx, i, PFM_OS_PERF_EVENT_EXT,
							     &attribute) != PFM_SUCCESS ||
			    attribute.type != PFM_ATTR_UMASK || attribute.is_dfl != defaults)
				continue;
			if (masks->size)
				buf_add_char(masks, ' ');
			buf_add_str(masks, attribute.name);
		}
	}
}

/* The event's code, if it has one without unit masks. */
static void add_code(const struct library *library, struct event_entry *entry)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t request = { .attr = &attr, .size = sizeof(request), .cpu = -1 };

	if (library->pfm_get_os_event_encoding(entry->name, PFM_PLM0 | PFM_PLM3,
					       PFM_OS_PERF_EVENT_EXT, &request) != PFM_SUCCESS)
		return;
	entry->type = attr.type;
	entry->config = attr.config;
	entry->coded = true;
}

static void visit_event(const struct library *library, const pfm_pmu_info_t *pmu, int index,
			event_visit visit, void *context)
{
	pfm_event_info_t info = { .size = sizeof(info) };
	struct event_entry entry = { .kind = pmu->name };
	char name[EVENT_NAME_MAX];
	struct buf masks = { 0 };

	if (library->pfm_get_event_info(index, PFM_OS_PERF_EVENT_EXT, &info) != PFM_SUCCESS)
		return;
	list_masks(library, &info, &masks);
	snprintf(name, sizeof(name), "%s::%s", pmu->name, info.name);
	entry.name = name;
	entry.text = info.desc ? info.desc : "";
	entry.masks = buf_text(&masks);
	add_code(library, &entry);
	visit(context, &entry);
	buf_done(&masks);
}

int event_library_each(bool all, event_visit visit, void *context)
{
	struct library library = { 0 };
	int rc = load(&library, NULL);

	if (rc < 0)
		return rc;
	for (int number = PFM_PMU_NONE; number < PFM_PMU_MAX; number++) {
		pfm_pmu_t id = (pfm_pmu_t)number;
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		if (is_own(id) || library.pfm_get_pmu_info(id, &pmu) != PFM_SUCCESS ||
		    (!all && !pmu.is_present))
			continue;
		for (int i = pmu.first_event; i != -1; i = library.pfm_get_event_next(i))
			visit_event(&library, &pmu, i, visit, context);
	}
	return 0;
}
