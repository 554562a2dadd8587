/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import_files.h"

#include <string.h>
#include <sys/utsname.h>

#include "place/files/image_files.h"
#include "place/jit/jit.h"

static bool has_path(const void *owner, uint32_t index, const void *key)
{
	return ((const struct import_files *)owner)->ids.items[index].path == *(const str_id *)key;
}

static bool find(const struct import_files *files, str_id path, uint32_t *ret_index)
{
	return hashidx_find(&files->index, hash_u64(path), has_path, files, &path, ret_index);
}

static bool is_our_host(const struct perf_data_facts *facts)
{
	struct utsname us;

	uname(&us);
	return !facts->hostname || strcmp(facts->hostname, us.nodename) == 0;
}

void import_files_begin(struct import_files *files, struct import_profile *import,
			const struct perf_data_facts *facts)
{
	files->import = import;
	files->same_host = is_our_host(facts);
	if (files->same_host || import->options->symfs)
		import->frames.jit = jit_new_of_past(
			import->profile, import->options->symfs ? import->options->symfs : "/");
	for (size_t i = 0; i < facts->build_ids.count; i++) {
		const struct perf_data_build_id *id = &facts->build_ids.items[i];
		str_id path = strpool_intern(&import->profile->strings, id->path);
		uint32_t index;

		if (find(files, path, &index))
			continue;
		hashidx_add(&files->index, hash_u64(path), (uint32_t)files->ids.count);
		*vec_push(&files->ids) = (struct import_known_id){ path, id };
	}
}

void import_files_done(struct import_files *files)
{
	vec_free(&files->ids);
	hashidx_done(&files->index);
}

static void add_build_id(const struct import_files *files, struct mapped_file *file)
{
	str_id path = strpool_intern(&files->import->profile->strings, file->path);
	uint32_t index;

	if (file->build_id_size || !find(files, path, &index))
		return;
	file->build_id = files->ids.items[index].id->bytes;
	file->build_id_size = files->ids.items[index].id->size;
}

void import_files_map(struct import_files *files, const struct perf_record *record, bool our_kernel)
{
	const struct perf_mmap *map = &record->mmap;
	bool other_vdso = strcmp(map->path, "[vdso]") == 0 && !our_kernel;
	struct mapped_file file = { .path = other_vdso ? "[vdso of another kernel]" : map->path,
				    .start = map->start,
				    .end = map->start + map->size,
				    .dev = files->same_host ? map->dev : 0,
				    .inode = files->same_host ? map->inode : 0,
				    .build_id = map->build_id,
				    .build_id_size = map->build_id_size };
	struct mapping mapping = { .start = file.start, .end = file.end, .offset = map->offset };

	if (file.end <= file.start)
		return;
	add_build_id(files, &file);
	mapping.image = image_files_mapped(files->import->files, &file);
	machine_map(files->import->machine, record->time_ns, record->pid, &mapping);
	if (files->import->frames.jit)
		jit_mapped(files->import->frames.jit,
			   machine_process_of(files->import->machine, record->pid), &file);
}
