/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/formats.h"

#include <errno.h>
#include <string.h>

/* clang-format off */
static const struct export_format formats[] = {
	{ "pprof", "go tool pprof, Pyroscope, Parca: a gzipped profile.proto", .binary = true,
	  .lines = true, .write = export_pprof_write },
	{ "collapsed", "FlameGraph's input: a line for each stack", .one_event = true, .by = true,
	  .write = export_collapsed_write },
	{ "speedscope", "speedscope.app: every thread in order of time", .few = true,
	  .write = export_speedscope_write },
	{ "firefox", "profiler.firefox.com: every thread in order of time", .few = true,
	  .lines = true, .write = export_firefox_write },
	{ "callgrind", "KCachegrind, callgrind_annotate: costs by line, calls", .lines = true,
	  .write = export_callgrind_write },
	{ "perf-script", "what perf script prints: every sample with its stack",
	  .write = export_perf_script_write },
	{ "json", "everything, in tables", .lines = true, .write = export_json_write },
	{ "csv", "a line for each thread and stack", .write = export_csv_write },
	{ "gmon", "a gmon.out for gprof, of one executable", .binary = true, .one_event = true,
	  .write = export_gmon_write },
	{ 0 },
};
/* clang-format on */

const struct export_format *export_formats(void)
{
	return formats;
}

int export_find(const char *name, const struct export_format **ret_format, struct err *err)
{
	struct buf list = { 0 };

	for (const struct export_format *format = formats; format->name; format++) {
		if (strcmp(format->name, name) == 0) {
			buf_done(&list);
			*ret_format = format;
			return 0;
		}
		buf_printf(&list, "%s%s", format == formats ? "" : ", ", format->name);
	}
	err_set(err, -EINVAL, "invalid --format '%s': expected one of %s", name, buf_text(&list));
	buf_done(&list);
	return -EINVAL;
}

uint64_t export_value_of(const struct export_data *data, const struct total *total)
{
	return data->value == EXPORT_WEIGHT ? total->weight : total->samples;
}

const char *export_event(const struct export_data *data, size_t event)
{
	return profile_text(data->profile, data->profile->events[event].name);
}

const char *export_unit(const struct export_data *data, size_t event)
{
	return profile_text(data->profile, data->profile->events[event].unit);
}

const struct image *export_image_of(const struct export_data *data, uint32_t frame)
{
	const struct profile *profile = data->profile;

	return &profile->images.items[profile->frames.items[frame].image];
}

bool export_is_kernel(const struct image *image)
{
	return image->kind == IMAGE_KERNEL || image->kind == IMAGE_MODULE ||
	       image->kind == IMAGE_BPF;
}

void export_stack(const struct export_data *data, uint32_t stack, struct export_frames *frames)
{
	frames->list.count = 0;
	for (; stack; stack = data->profile->stacks.items[stack].parent)
		*vec_push(&frames->list) = data->profile->stacks.items[stack].frame;
}
