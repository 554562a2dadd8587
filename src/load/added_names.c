/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/added_names.h"

bool added_names_wanted(const struct line_options *lines)
{
	return lines->debug_folder_count || lines->debuginfod;
}

void added_names_find(struct profile *profile, const struct line_options *lines,
		      bool by_build_id_only, bool force, struct late_names *ret_names)
{
	struct line_options without_cache = *lines;
	struct line_service service;

	without_cache.no_cache = true; /* no lines are needed */
	line_service_start(&service, profile, &without_cache, NULL, NULL);
	late_names_add(profile,
		       &(struct late_options){ .debug_files = service.debug_files,
					       .readers = lines->readers,
					       .by_build_id_only = by_build_id_only,
					       .force = force,
					       .folders = lines->debug_folders,
					       .folder_count = lines->debug_folder_count },
		       ret_names);
	line_service_stop(&service);
}
