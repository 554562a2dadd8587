/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/image_files.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lru.h"
#include "base/xalloc.h"
#include "foreign/live_task.h"
#include "place/files/embedded_file.h"
#include "place/files/file_search.h"

enum {
	LEAST_OPEN = 4,
	ROUNDS_UNUSED = 4, /* of image_files_rest */
	PROVEN_KEPT = 16,
};

static const char DELETED[] = " (deleted)";

/* The file of an image. */
struct held_file {
	uint32_t image;
	str_id path;   /* which leads to it; of an embedded file, to its container */
	uint64_t base; /* where it begins in its container; 0: it is embedded in none */
	int fd;	       /* -1: not open */
	int32_t pid;   /* of its last mapping */
	bool known;    /* it was open once: `identity` is valid */
	bool by_path;
	struct file_identity identity;
	uint64_t round; /* of its last use */
};

/* A mapping record by what it names, and the file that it led to. */
struct mapping_record {
	str_id path;
	uint64_t dev, inode, generation;
	struct elf_build_id build_id;
	uint32_t file;
};

/* Every mapping is recorded twice, once with device and inode and once with the build id: the image
 * that one record proved, for the other. */
struct proven_mapping {
	int32_t pid;
	uint64_t start, end;
	str_id path;
	uint32_t image;
};

/* What is mapped at an offset of a file that is no ELF file. */
struct embedded_part {
	uint32_t container, file; /* the same: no ELF file is there */
	uint64_t offset;
};

struct image_files {
	struct profile *profile;
	size_t most_open, open;
	struct file_search search;
	struct lru reopenable, last_copies; /* open files: by_path, and the others */
	uint64_t round;
	VEC(struct held_file) files;
	VEC(struct mapping_record) records;
	struct hashidx record_index;
	VEC(struct embedded_part) parts;
	struct hashidx part_index;
	VEC(uint32_t) of_image; /* image -> file + 1 */
	struct hashidx file_index;
	struct proven_mapping proven[PROVEN_KEPT]; /* a ring of the last ones */
	size_t proven_count;			   /* number ever added */
};

struct image_files *image_files_new(struct profile *profile, size_t max_open)
{
	struct image_files *files = xcalloc(1, sizeof(*files));

	if (max_open < LEAST_OPEN)
		max_open = LEAST_OPEN;
	files->profile = profile;
	files->search.most_offers = max_open / 4;
	files->most_open = max_open - files->search.most_offers;
	return files;
}

static uint32_t number_of(const struct image_files *files, const struct held_file *file)
{
	return (uint32_t)(file - files->files.items);
}

static struct lru *order_of(struct image_files *files, const struct held_file *file)
{
	return file->by_path ? &files->reopenable : &files->last_copies;
}

void image_files_set_root(struct image_files *files, const char *root)
{
	files->search.root = root;
}

void image_files_set_readers(struct image_files *files, const struct readers *readers)
{
	files->search.readers = readers;
}

static void close_file(struct image_files *files, struct held_file *file)
{
	if (file->fd < 0)
		return;
	close(file->fd);
	file->fd = -1;
	files->open--;
	lru_remove(order_of(files, file), number_of(files, file));
}

void image_files_free(struct image_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->files.count; i++)
		close_file(files, &files->files.items[i]);
	lru_done(&files->reopenable);
	lru_done(&files->last_copies);
	file_search_done(&files->search);
	vec_free(&files->files);
	vec_free(&files->of_image);
	hashidx_done(&files->file_index);
	vec_free(&files->records);
	hashidx_done(&files->record_index);
	vec_free(&files->parts);
	hashidx_done(&files->part_index);
	free(files);
}

static struct image *image_of(const struct image_files *files, const struct held_file *file)
{
	return &files->profile->images.items[file->image];
}

static const char *path_of(const struct image_files *files, const struct held_file *file)
{
	return profile_text(files->profile, file->path);
}

static void touch(struct image_files *files, struct held_file *file)
{
	file->round = files->round;
	if (file->fd >= 0)
		lru_use(order_of(files, file), number_of(files, file));
}

static void set_by_path(struct image_files *files, struct held_file *file, bool by_path)
{
	if (file->by_path == by_path)
		return;
	lru_remove(order_of(files, file), number_of(files, file));
	file->by_path = by_path;
	if (file->fd >= 0)
		lru_use(order_of(files, file), number_of(files, file));
}

/* NULL: not an image of this module. */
static struct held_file *file_of_image(const struct image_files *files, uint32_t image)
{
	uint32_t id = image < files->of_image.count ? files->of_image.items[image] : 0;

	return id ? &files->files.items[id - 1] : NULL;
}

static struct foreign *foreign_of(const struct image_files *files)
{
	return files->search.readers ? files->search.readers->foreign : NULL;
}

/* True if the file's path still leads to the same file, untouched. */
static bool path_leads_back(const struct image_files *files, const struct held_file *file)
{
	struct stat st;

	return file->known && file->by_path &&
	       door_stat(foreign_of(files), path_of(files, file), &st) == 0 &&
	       file_identity_untouched(&file->identity, &st);
}

/* The same in the folders of a process that has it mapped. */
static bool process_leads_back(const struct image_files *files, const struct held_file *file,
			       int32_t pid)
{
	_cleanup_free_ char *path =
		xasprintf("/proc/%d/root%s", live_task(pid), path_of(files, file));
	struct stat st;

	return file->known && pid > 0 && door_stat_magic(foreign_of(files), path, pid, &st) == 0 &&
	       file_identity_untouched(&file->identity, &st);
}

/* The least recently used open file; one that can be reopened, if there is any. */
static struct held_file *longest_unused(struct image_files *files)
{
	uint32_t number = lru_oldest(&files->reopenable);

	if (number == UINT32_MAX)
		number = lru_oldest(&files->last_copies);
	return number == UINT32_MAX ? NULL : &files->files.items[number];
}

static void make_room(struct image_files *files)
{
	struct held_file *file;

	while (files->open >= files->most_open && (file = longest_unused(files))) {
		if (file->by_path && !path_leads_back(files, file))
			set_by_path(files, file, false); /* deleted meanwhile: keep it open */
		else
			close_file(files, file);
	}
}

/* Gives @fd to a file that is not open. */
static void hold(struct image_files *files, struct held_file *file, int fd)
{
	make_room(files);
	file->fd = fd;
	files->open++;
	touch(files, file);
}

/* Open files with the same path and identity are one image. Without a build id only the ctime shows
 * that another file was written over this one, and given its time. */
struct file_key {
	str_id path;
	const struct file_identity *identity;
};

static uint64_t file_hash(const struct file_key *key)
{
	uint64_t hash = hash_combine(hash_u64(key->path), key->identity->dev);

	hash = hash_combine(hash, key->identity->inode);
	hash = hash_combine(hash, key->identity->size);
	return hash_combine(hash, (uint64_t)key->identity->mtime_ns);
}

static bool file_equal(const void *owner, uint32_t id, const void *wanted)
{
	const struct image_files *files = owner;
	const struct held_file *file = &files->files.items[id];
	const struct file_key *key = wanted;
	const struct elf_build_id *build_id = &key->identity->build_id;

	if (!build_id->size && file->identity.ctime_ns != key->identity->ctime_ns)
		return false;
	return image_of(files, file)->path == key->path &&
	       file->identity.dev == key->identity->dev &&
	       file->identity.inode == key->identity->inode &&
	       file->identity.size == key->identity->size &&
	       file->identity.mtime_ns == key->identity->mtime_ns &&
	       elf_file_build_id_is(&file->identity.build_id, build_id->bytes, build_id->size);
}

static uint32_t add_file(struct image_files *files, const struct image *image)
{
	uint32_t id = (uint32_t)files->files.count;
	uint32_t row = profile_image(files->profile, image);

	*vec_push(&files->files) =
		(struct held_file){ .image = row, .path = image->path, .fd = -1 };
	while (files->of_image.count <= row)
		*vec_push(&files->of_image) = 0;
	files->of_image.items[row] = id + 1;
	return id;
}

/* The image row of a record, completed from the file if it was found. */
static struct image make_image(const struct mapped_file *mapped, str_id path,
			       const struct file_search_result *found)
{
	struct image image = { .kind = IMAGE_FILE,
			       .state = found->reason,
			       .path = path,
			       .dev = mapped->dev,
			       .inode = mapped->inode,
			       .build_id_size = mapped->build_id_size };

	if (mapped->build_id_size > 0)
		memcpy(image.build_id, mapped->build_id, mapped->build_id_size);
	if (found->fd < 0 && found->told.size > 0) {
		image.build_id_size = found->told.size;
		memcpy(image.build_id, found->told.bytes, found->told.size);
	}
	if (found->fd < 0)
		return image;
	if (image.inode == 0) {
		image.dev = found->identity.dev;
		image.inode = found->identity.inode;
	}
	image.state = found->identity.elf ? IMAGE_STATE_UNREAD : IMAGE_STATE_NOT_ELF;
	image.size = found->identity.size;
	image.mtime_ns = found->identity.mtime_ns;
	image.build_id_size = found->identity.build_id.size;
	memcpy(image.build_id, found->identity.build_id.bytes, image.build_id_size);
	return image;
}

/* Keeps a found file under one image, whichever record led to it. @old is the file of the same
 * record from when it could not be opened (its image is completed), or UINT32_MAX. */
static uint32_t keep_found(struct image_files *files, const struct mapped_file *mapped, str_id path,
			   struct file_search_result *found, uint32_t old)
{
	struct file_key key = { path, &found->identity };
	uint64_t hash = file_hash(&key);
	struct image image = make_image(mapped, path, found);
	struct held_file *file;
	uint32_t id;

	if (!hashidx_find(&files->file_index, hash, file_equal, files, &key, &id)) {
		id = old == UINT32_MAX ? add_file(files, &image) : old;
		file = &files->files.items[id];
		image.dirty = true;
		*image_of(files, file) = image;
		file->known = true;
		file->identity = found->identity;
		hashidx_add(&files->file_index, hash, id);
	}
	file = &files->files.items[id];
	file->identity.ctime_ns = found->identity.ctime_ns;
	set_by_path(files, file, found->by_path);
	if (file->fd >= 0 || !(found->identity.elf || mapped->offset))
		close(found->fd);
	else
		hold(files, file, found->fd);
	return id;
}

/* A memory file that is not ELF counts as memory. */
static bool is_plain_memory(const struct mapped_file *mapped,
			    const struct file_search_result *found)
{
	return file_search_is_memfd(mapped->path) && !(found->fd >= 0 && found->identity.elf);
}

/* There is no free descriptor: keeps fewer open from now on. False: there are none to give up. */
static bool give_way(struct image_files *files)
{
	if (files->open < 2)
		return false;
	files->most_open = files->open / 2;
	make_room(files);
	return true;
}

/* True if @told is not the build id that the image of a file that we cannot open has. */
static bool is_news(const struct image *image, const struct elf_build_id *told)
{
	return told->size > 0 && !elf_file_build_id_is(told, image->build_id, image->build_id_size);
}

static uint32_t find_file(struct image_files *files, struct mapped_file *mapped,
			  const char *literal, uint32_t old)
{
	struct file_search_result found = file_search_find(&files->search, mapped, literal);
	struct image image;
	str_id path;

	if (found.fd < 0 && found.exhausted && give_way(files))
		found = file_search_find(&files->search, mapped, literal);
	path = strpool_intern(&files->profile->strings, mapped->path);
	if (is_plain_memory(mapped, &found)) {
		if (found.fd >= 0)
			close(found.fd);
		return add_file(files, &(struct image){ .kind = IMAGE_ANON, .path = path });
	}
	if (found.fd >= 0)
		return keep_found(files, mapped, path, &found, old);
	if (old != UINT32_MAX && !is_news(image_of(files, &files->files.items[old]), &found.told))
		return old;
	image = make_image(mapped, path, &found);
	return add_file(files, &image);
}

/* True if our descriptor shows that the file is untouched, or deleted and not written to. */
static bool descriptor_is_good(const struct held_file *file)
{
	struct stat st;

	if (file->fd < 0 || file->identity.copy || fstat(file->fd, &st) < 0)
		return false;
	return st.st_nlink == 0 ? file_identity_is(&file->identity, &st)
				: file_identity_untouched(&file->identity, &st);
}

/* True if the file that @mapped led to before is unchanged. Opens nothing. What we hold of files on
 * other machines is a copy, so their path must tell. */
static bool still_good(struct image_files *files, const struct mapped_file *mapped,
		       struct held_file *file)
{
	bool good;

	if (!file->known)
		return image_of(files, file)->kind != IMAGE_FILE;
	if (file->fd >= 0 && !file->identity.copy)
		good = descriptor_is_good(file);
	else if (file->by_path)
		good = path_leads_back(files, file);
	else
		good = process_leads_back(files, file, mapped->pid);
	if (good)
		touch(files, file);
	return good;
}

/* True if a file that cannot be proven again stays what it was: its build id shows it, or, of a
 * copy, the process that would lead to the file has ended. */
static bool stays(const struct mapped_file *mapped, const struct held_file *file)
{
	if (!mapped->mapped_ns || mapped->build_id_size > 0 || file->identity.copy)
		return true;
	return file->fd >= 0 && file_identity_again(&file->identity, file->fd, NULL);
}

/* The current file of a record that led to @old before. If that file changed after it was open, it
 * stays as it is and the record gets a new one. */
static uint32_t look_again(struct image_files *files, struct mapped_file *mapped,
			   const char *literal, uint32_t old)
{
	bool known = files->files.items[old].known;
	uint32_t now;

	if (still_good(files, mapped, &files->files.items[old]))
		return old;
	now = find_file(files, mapped, literal, known ? UINT32_MAX : old);
	if (files->files.items[now].known || !known)
		return now;
	return stays(mapped, &files->files.items[old]) ? old : now;
}

/* --- records seen before --- */

static uint64_t record_hash(const struct mapping_record *record)
{
	uint64_t hash = hash_bytes(record->build_id.bytes, record->build_id.size);

	hash = hash_combine(hash, record->path);
	hash = hash_combine(hash, record->generation);
	return hash_combine(hash_combine(hash, record->dev), record->inode);
}

DEFINE_EQUAL(record_equal, struct image_files, records.items, struct mapping_record,
	     a->path == b->path && a->dev == b->dev && a->inode == b->inode &&
		     a->generation == b->generation &&
		     elf_file_build_id_is(&a->build_id, b->build_id.bytes, b->build_id.size))

/* The file of records like this one, which may be written to; UINT32_MAX: not seen before. */
static uint32_t *file_of_record(struct image_files *files, const struct mapped_file *mapped)
{
	struct mapping_record record = {
		.path = strpool_intern(&files->profile->strings, mapped->path),
		.dev = mapped->dev,
		.inode = mapped->inode,
		.generation = mapped->generation,
		.file = UINT32_MAX,
	};
	uint64_t hash;
	uint32_t id;

	if (mapped->build_id_size > 0)
		memcpy(record.build_id.bytes, mapped->build_id, mapped->build_id_size);
	record.build_id.size = mapped->build_id_size;
	hash = record_hash(&record);
	if (!hashidx_find(&files->record_index, hash, record_equal, files, &record, &id)) {
		id = (uint32_t)files->records.count;
		*vec_push(&files->records) = record;
		hashidx_add(&files->record_index, hash, id);
	}
	return &files->records.items[id].file;
}

/* The image that another record of the same mapping proved, else @image. A record with a build id
 * must prove its own. */
static uint32_t find_proven(const struct image_files *files, const struct mapped_file *mapped,
			    str_id path, uint32_t image)
{
	for (size_t i = 0; !mapped->build_id_size && i < PROVEN_KEPT && i < files->proven_count;
	     i++) {
		const struct proven_mapping *proven = &files->proven[i];

		if (proven->pid == mapped->pid && proven->start == mapped->start &&
		    proven->end == mapped->end && proven->path == path)
			return proven->image;
	}
	return image;
}

/* On stacked file systems no file may match that device and inode, although the build id of the
 * same mapping led to one. Then that file counts. */
static uint32_t agree(struct image_files *files, const struct mapped_file *mapped, uint32_t id)
{
	const struct held_file *file = &files->files.items[id];
	str_id path = image_of(files, file)->path;

	if (!file->known)
		return find_proven(files, mapped, path, file->image);
	files->proven[files->proven_count++ % PROVEN_KEPT] =
		(struct proven_mapping){ mapped->pid, mapped->start, mapped->end, path,
					 file->image };
	return file->image;
}

static uint32_t mapped_path(struct image_files *files, struct mapped_file *mapped,
			    const char *literal)
{
	uint32_t *file = file_of_record(files, mapped);

	if (*file == UINT32_MAX)
		*file = find_file(files, mapped, literal, UINT32_MAX);
	else
		*file = look_again(files, mapped, literal, *file);
	return *file;
}

/* --- names that the kernel gives to mappings that are not files --- */

/* Of kernel/events/core.c, mm/, ipc/. */
struct special_name {
	const char *prefix;
	enum image_kind kind;
	const char *shown; /* NULL: the name itself */
};

/* The first match counts. */
static const struct special_name special_names[] = {
	{ "[vdso]", IMAGE_VDSO, NULL },	       { "//anon", IMAGE_ANON, "[anon]" },
	{ "[anon", IMAGE_ANON, NULL },	       { "[heap]", IMAGE_ANON, NULL },
	{ "[stack", IMAGE_ANON, "[stack]" },   { "/SYSV", IMAGE_ANON, "[shared memory]" },
	{ "/dev/zero", IMAGE_ANON, "[anon]" }, { "/anon_hugepage", IMAGE_ANON, "[anon]" },
	{ "anon_inode:", IMAGE_ANON, NULL },   { "[", IMAGE_BUCKET, NULL },
};

static const uint64_t FIRST_64_BIT_ADDRESS = 1ULL << 32;

/* True if @name is special; *ret_special is what it becomes. The vdso of a 32-bit process differs
 * from ours. */
static bool find_special(const char *name, uint64_t start, struct special_name *ret_special)
{
	if (!*name)
		name = "//anon";
	for (size_t i = 0; i < sizeof(special_names) / sizeof(*special_names); i++) {
		const struct special_name *row = &special_names[i];

		if (strncmp(name, row->prefix, strlen(row->prefix)) != 0)
			continue;
		*ret_special = *row;
		if (!row->shown)
			ret_special->shown = name;
		if (row->kind == IMAGE_VDSO && start < FIRST_64_BIT_ADDRESS)
			*ret_special = (struct special_name){ NULL, IMAGE_BUCKET, "[vdso32]" };
		return true;
	}
	return false;
}

static uint32_t special_image(struct image_files *files, const struct special_name *special)
{
	struct image image = { .kind = special->kind,
			       .path = strpool_intern(&files->profile->strings, special->shown) };

	if (special->kind == IMAGE_BUCKET)
		return profile_bucket(files->profile, special->shown);
	return profile_image(files->profile, &image);
}

/* --- opening again --- */

static void set_state(struct image_files *files, struct held_file *file, enum image_state state)
{
	struct image *image = image_of(files, file);

	if (image->state == state)
		return;
	image->state = state;
	image->dirty = true;
}

/* Puts a new copy of an embedded file in place of its container. */
static bool copy_again(const struct held_file *file, struct file_search_result *found)
{
	_cleanup_close_ int container = found->fd;

	found->fd = embedded_file_copy(container, file->base, &found->identity);
	return found->fd >= 0;
}

static int reopen(struct image_files *files, struct held_file *file)
{
	const struct mapped_file mapped = { .path = path_of(files, file), .pid = file->pid };
	struct file_search_result found =
		file_search_again(&files->search, &mapped, &file->identity);

	if (found.fd < 0 && found.exhausted && give_way(files))
		found = file_search_again(&files->search, &mapped, &file->identity);
	if (found.fd < 0) {
		set_state(files, file, found.reason);
		return -1;
	}
	if (file->base && !copy_again(file, &found))
		return -1;
	set_by_path(files, file, found.by_path);
	file->identity.copy = found.identity.copy;
	hold(files, file, found.fd);
	return file->fd;
}

/* A descriptor of the file, whatever it contains. */
static int open_file(struct image_files *files, struct held_file *file)
{
	if (file->fd >= 0 && !file_identity_holds(&file->identity, file->fd))
		close_file(files, file);
	if (file->fd < 0)
		return reopen(files, file);
	touch(files, file);
	return file->fd;
}

/* --- ELF files within others --- */

DEFINE_EQUAL(part_equal, struct image_files, parts.items, struct embedded_part,
	     a->container == b->container && a->offset == b->offset)

/* The image of an ELF file within the container; @found is a copy of it. */
static uint32_t keep_embedded(struct image_files *files, uint32_t container, uint64_t base,
			      struct file_search_result *found)
{
	const struct held_file *outer = &files->files.items[container];
	struct image image = *image_of(files, outer);
	_cleanup_free_ char *name = embedded_file_name(path_of(files, outer), base);
	str_id path = outer->path;
	struct mapped_file mapped = { .path = name, .dev = image.dev, .inode = image.inode };
	uint32_t id = keep_found(files, &mapped, strpool_intern(&files->profile->strings, name),
				 found, UINT32_MAX);

	files->files.items[id].path = path;
	files->files.items[id].base = base;
	return id;
}

static uint32_t find_embedded(struct image_files *files, uint32_t container, uint64_t offset)
{
	struct held_file *outer = &files->files.items[container];
	struct file_search_result found = { .identity = outer->identity,
					    .by_path = outer->by_path };
	int fd = open_file(files, outer);
	uint64_t base;

	if (fd < 0 || !embedded_file_find(fd, offset, &base))
		return container;
	found.fd = embedded_file_copy(fd, base, &found.identity);
	return found.fd < 0 ? container : keep_embedded(files, container, base, &found);
}

/* The file that is mapped at this offset of a file: within a file of another format, it is the ELF
 * file that has the offset. */
static uint32_t file_at(struct image_files *files, uint32_t id, uint64_t offset)
{
	struct embedded_part part = { .container = id, .offset = offset };
	uint64_t hash = hash_combine(hash_u64(id), offset);
	uint32_t known;

	if (!files->files.items[id].known || files->files.items[id].identity.elf)
		return id;
	if (!hashidx_find(&files->part_index, hash, part_equal, files, &part, &known)) {
		part.file = find_embedded(files, id, offset);
		known = (uint32_t)files->parts.count;
		*vec_push(&files->parts) = part;
		hashidx_add(&files->part_index, hash, known);
	}
	return files->parts.items[known].file;
}

/* --- mappings --- */

uint32_t image_files_mapped(struct image_files *files, const struct mapped_file *mapped)
{
	size_t length = strlen(mapped->path), suffix = sizeof(DELETED) - 1;
	struct mapped_file plain = *mapped;
	_cleanup_free_ char *shortened = NULL;
	struct special_name special;
	uint32_t id;

	if (plain.build_id_size > BUILD_ID_MAX)
		plain.build_id_size = 0;
	if (length > suffix && strcmp(mapped->path + length - suffix, DELETED) == 0) {
		shortened = xmemdup(mapped->path, length);
		shortened[length - suffix] = '\0';
		plain.path = shortened;
	}
	if (find_special(plain.path, plain.start, &special))
		return special_image(files, &special);
	id = mapped_path(files, &plain, mapped->path);
	files->files.items[id].pid = mapped->pid;
	id = file_at(files, id, plain.offset);
	files->files.items[id].pid = mapped->pid;
	return agree(files, &plain, id);
}

struct mapping image_files_map(struct image_files *files, const struct mapped_file *mapped)
{
	uint32_t image = image_files_mapped(files, mapped);
	const struct held_file *file = file_of_image(files, image);

	return (struct mapping){ .start = mapped->start,
				 .end = mapped->end,
				 .offset = mapped->offset - (file ? file->base : 0),
				 .image = image };
}

void image_files_offer(struct image_files *files, int fd)
{
	file_search_offer(&files->search, fd, files->round);
}

int image_files_open(struct image_files *files, uint32_t image)
{
	struct held_file *file = file_of_image(files, image);

	if (!file || !file->known || !file->identity.elf)
		return -1;
	return open_file(files, file);
}

int32_t image_files_process(const struct image_files *files, uint32_t image)
{
	const struct held_file *file = file_of_image(files, image);

	return file ? file->pid : 0;
}

void image_files_rest(struct image_files *files)
{
	uint64_t oldest = ++files->round > ROUNDS_UNUSED ? files->round - ROUNDS_UNUSED : 0;

	for (size_t i = 0; i < files->files.count; i++) {
		struct held_file *file = &files->files.items[i];

		if (file->fd >= 0 && file->round < oldest && path_leads_back(files, file))
			close_file(files, file);
	}
	file_search_forget(&files->search, oldest);
}

const char *image_files_link(void *context, const char *comm, uint32_t image)
{
	struct image_files *files = context;
	const struct held_file *file = file_of_image(files, image);

	if (!file || !file->known)
		return NULL;
	return file_search_link(&files->search, path_of(files, file), comm, file->identity.dev,
				file->identity.inode);
}
