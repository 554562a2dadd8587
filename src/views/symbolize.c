/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/views.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "attribute/frames.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "elf/elf_file.h"
#include "foreign/foreign.h"
#include "model/machine.h"
#include "names/resolver.h"
#include "names/spelling/demangler.h"
#include "place/files/image_files.h"
#include "place/jit/jit.h"
#include "place/kernel/kernel_symbols.h"
#include "proc/proc_scan.h"

enum { MOST_OPEN_FILES = 64 };

struct symbolizer {
	struct symbolize_options options;
	struct profile *profile;
	struct machine *machine;
	struct foreign *foreign;
	struct readers readers; /* ourselves, through `foreign` */
	struct image_files *files;
	struct kernel_symbols *kernel;
	struct jit *jit;
	struct resolver *resolver;
	struct frames frames;
	struct line_service service;
	struct demangler *demangler;
	struct buf symbol;
	/* Of options.file. */
	uint32_t image;
	struct elf_segments segments;
};

/* ---- a file ---- */

static int read_segments(struct symbolizer *symbolizer, struct err *err)
{
	_cleanup_(elf_file_freep) struct elf_file *elf = NULL;
	int fd = image_files_open(symbolizer->files, symbolizer->image);
	int rc = fd < 0 ? err_set(err, -ENOEXEC, "not an ELF file, or not readable")
			: elf_file_open(fd, &elf, err);

	if (rc < 0)
		return err_prefix(err, rc, "%s", symbolizer->options.file);
	for (size_t i = 0; i < elf_file_segments(elf)->list.count; i++)
		*vec_push(&symbolizer->segments.list) = elf_file_segments(elf)->list.items[i];
	return 0;
}

static int start_file(struct symbolizer *symbolizer, struct err *err)
{
	const char *file = symbolizer->options.file;
	char path[PATH_MAX];
	struct mapped_file mapped = { .path = path };
	struct stat st;
	int rc = door_stat(symbolizer->foreign, file, &st);

	if (rc == -ETIMEDOUT)
		return err_set(err, rc, "%s: its file system does not answer", file);
	if (rc < 0 || !realpath(file, path))
		return err_set(err, rc < 0 ? rc : -errno, "%s: %s", file,
			       strerror(rc < 0 ? -rc : errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "%s: not an executable or shared object", file);
	mapped.dev = st.st_dev;
	mapped.inode = st.st_ino;
	symbolizer->image = image_files_mapped(symbolizer->files, &mapped);
	return read_segments(symbolizer, err);
}

/* The frame at an ELF address; 0: the address is in no loaded part of the file. */
static uint32_t place_in_file(struct symbolizer *symbolizer, uint64_t address, enum frame_kind kind)
{
	uint64_t code = kind == FRAME_RETURN && address > 0 ? address - 1 : address;

	for (size_t i = 0; i < symbolizer->segments.list.count; i++) {
		const struct elf_segment *segment = &symbolizer->segments.list.items[i];

		if (code >= segment->address && code - segment->address < segment->size)
			return profile_frame(symbolizer->profile,
					     &(struct frame){ .image = symbolizer->image,
							      .offset = address - segment->address +
									segment->offset,
							      .kind = kind });
	}
	return 0;
}

/* ---- a process ---- */

static void take_process(void *context, const struct proc_info *info)
{
	struct symbolizer *symbolizer = context;
	const struct machine_process process = { .pid = info->pid,
						 .parent_pid = info->parent_pid,
						 .start_ns = info->start_ns,
						 .uid = info->uid,
						 .comm = info->comm,
						 .executable = info->executable,
						 .kernel_thread = info->kernel_thread };

	machine_add_process(symbolizer->machine, &process);
}

static void take_map(void *context, int32_t pid, const struct proc_map *map)
{
	struct symbolizer *symbolizer = context;
	const struct mapped_file file = { .pid = pid,
					  .path = map->path[0] ? map->path : "//anon",
					  .start = map->start,
					  .end = map->end,
					  .offset = map->offset,
					  .dev = map->dev,
					  .inode = map->inode };
	const struct mapping mapping = image_files_map(symbolizer->files, &file);

	machine_map(symbolizer->machine, clock_ns(), pid, &mapping);
	jit_mapped(symbolizer->jit, machine_process_of(symbolizer->machine, pid), &file);
}

static int start_process(struct symbolizer *symbolizer, struct err *err)
{
	const struct proc_visitor visitor = { .process = take_process,
					      .map = take_map,
					      .context = symbolizer,
					      .foreign = symbolizer->foreign };
	int rc = proc_scan_one((int32_t)symbolizer->options.pid, &visitor, err);

	jit_set_time(symbolizer->jit, clock_ns());
	return rc < 0 ? err_prefix(err, rc, "-p %" PRId64, symbolizer->options.pid) : 0;
}

/* ---- the kernel ---- */

static int start_kernel(struct symbolizer *symbolizer, struct err *err)
{
	const struct kernel_symbols_options options = { .kallsyms = NULL };
	int rc = kernel_symbols_new(symbolizer->profile, &options, &symbolizer->kernel, err);

	if (rc == 0 && kernel_symbols_hidden(symbolizer->kernel))
		return err_set(err, -EACCES, "%s", image_state_text(IMAGE_STATE_HIDDEN));
	return rc;
}

/* ---- all of them ---- */

static int open_image(void *context, uint32_t image, struct err *err)
{
	struct symbolizer *symbolizer = context;
	int fd = image_files_open(symbolizer->files, image);

	if (fd < 0)
		return err_set(err, -ENOENT, "%s",
			       image_state_text(symbolizer->profile->images.items[image].state));
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? err_set(err, -errno, "%s", strerror(errno)) : fd;
}

static int check(const struct symbolize_options *options, struct err *err)
{
	int given = !!options->file + !!options->pid + options->kernel;

	if (given != 1)
		return err_set(
			err, -EINVAL,
			"give one of -e FILE, -p PID or --kernel: whose addresses are these?");
	return demangler_style_check(options->demangle, err);
}

static void make_parts(struct symbolizer *symbolizer)
{
	const struct symbolize_options *options = &symbolizer->options;
	struct utsname name;

	symbolizer->profile = profile_new();
	if (uname(&name) == 0)
		profile_set_text(&symbolizer->profile->run.kernel_release, name.release);
	symbolizer->foreign = foreign_new((struct pause){ 0 });
	symbolizer->readers.foreign = symbolizer->foreign;
	symbolizer->files = image_files_new(symbolizer->profile, MOST_OPEN_FILES);
	image_files_set_readers(symbolizer->files, &symbolizer->readers);
	symbolizer->jit = jit_new(symbolizer->profile);
	jit_set_foreign(symbolizer->jit, symbolizer->foreign);
	symbolizer->machine = machine_new(symbolizer->profile, NULL, NULL);
	symbolizer->demangler = demangler_new(demangler_style_by_name(options->demangle));
}

static void finish_parts(struct symbolizer *symbolizer)
{
	symbolizer->options.lines.foreign = symbolizer->foreign;
	line_service_start(&symbolizer->service, symbolizer->profile, &symbolizer->options.lines,
			   symbolizer->kernel ? NULL : open_image, symbolizer);
	symbolizer->resolver =
		resolver_new(&(struct symbol_parts){ .profile = symbolizer->profile,
						     .files = symbolizer->files,
						     .debug_files = symbolizer->service.debug_files,
						     .kernel = symbolizer->kernel,
						     .jit = symbolizer->jit });
	symbolizer->frames = (struct frames){ .profile = symbolizer->profile,
					      .kernel = symbolizer->kernel,
					      .jit = symbolizer->jit };
}

int symbolizer_new(const struct symbolize_options *options, struct symbolizer **ret_symbolizer,
		   struct err *err)
{
	_cleanup_(symbolizer_freep) struct symbolizer *symbolizer = NULL;
	int rc = check(options, err);

	if (rc == 0)
		rc = line_service_check(&options->lines, err);
	if (rc < 0)
		return rc;
	symbolizer = xcalloc(1, sizeof(*symbolizer));
	symbolizer->options = *options;
	make_parts(symbolizer);
	if (options->file)
		rc = start_file(symbolizer, err);
	else
		rc = options->pid ? start_process(symbolizer, err) : start_kernel(symbolizer, err);
	if (rc < 0)
		return rc;
	finish_parts(symbolizer);
	*ret_symbolizer = steal_ptr(symbolizer);
	return 0;
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	resolver_free(symbolizer->resolver);
	line_service_stop(&symbolizer->service);
	kernel_symbols_free(symbolizer->kernel);
	demangler_free(symbolizer->demangler);
	machine_free(symbolizer->machine);
	jit_free(symbolizer->jit);
	image_files_free(symbolizer->files);
	foreign_free(symbolizer->foreign);
	profile_free(symbolizer->profile);
	vec_free(&symbolizer->segments.list);
	buf_done(&symbolizer->symbol);
	free(symbolizer);
}

static uint32_t place(struct symbolizer *symbolizer, uint64_t address)
{
	const struct symbolize_options *options = &symbolizer->options;
	enum frame_kind kind = options->returns ? FRAME_RETURN : FRAME_EXACT;
	struct machine_space space;

	if (options->file)
		return place_in_file(symbolizer, address, kind);
	if (options->kernel)
		return frames_kernel(&symbolizer->frames, address, kind);
	jit_follow(symbolizer->jit, clock_ns());
	space = machine_space(symbolizer->machine, (int32_t)options->pid);
	return frames_user(&symbolizer->frames, &space, address, kind);
}

static bool is_bucket(const struct symbolizer *symbolizer, const struct frame *frame)
{
	return symbolizer->profile->images.items[frame->image].kind == IMAGE_BUCKET;
}

/* True for names that C++ and Rust mangle, which are unique. */
static bool is_mangled(const char *name)
{
	return strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0;
}

/* gcc calls every lambda "operator()"; a clone's symbol has a suffix. */
static const char *function_name(const char *symbol, const struct symbolized *answer)
{
	const char *function =
		answer->place_count ? answer->places[answer->place_count - 1].function : "";

	return *function && (is_mangled(function) || !is_mangled(symbol)) ? function : symbol;
}

int symbolizer_ask(struct symbolizer *symbolizer, uint64_t address, struct symbolized *ret_answer,
		   struct err *err)
{
	uint32_t id = place(symbolizer, address);
	const struct profile *profile = symbolizer->profile;
	const struct frame *frame = &profile->frames.items[id];
	const struct symbol *symbol;

	if (id == 0 || is_bucket(symbolizer, frame))
		return err_set(err, -ENOENT, "0x%" PRIx64 ": no code at this address", address);
	resolver_run(symbolizer->resolver);
	frame = &profile->frames.items[id];
	symbol = &profile->symbols.items[frame->symbol];
	buf_clear(&symbolizer->symbol);
	buf_add_str(&symbolizer->symbol,
		    demangler_text(symbolizer->demangler, profile_text(profile, symbol->name)));
	*ret_answer = (struct symbolized){
		.image = profile_text(profile, profile->images.items[frame->image].path),
		.symbol = buf_text(&symbolizer->symbol),
		.offset = frame->address - symbol->start,
		.has_offset = symbol->kind != SYMBOL_NONE,
	};
	ret_answer->places =
		lines_of_frame(symbolizer->service.lines, id, &ret_answer->place_count);
	ret_answer->function = function_name(profile_text(profile, symbol->name), ret_answer);
	return 0;
}

const char *symbolizer_name(struct symbolizer *symbolizer, const char *name)
{
	return demangler_text(symbolizer->demangler, name);
}

const char *symbolizer_problem(const struct symbolizer *symbolizer, uint32_t *index)
{
	while (*index < symbolizer->profile->images.count) {
		const char *problem = lines_problem(symbolizer->service.lines, (*index)++);

		if (problem)
			return problem;
	}
	return NULL;
}
