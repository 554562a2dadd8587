/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf_helpers.h>

#include "base/xalloc.h"

enum {
	BUCKETS = 4096,
	VALUE_ALIGNMENT = 128, /* as some programs want it */
	MOST_MAPS = 32,
	MOST_MEMORIES = 64,
	MOST_MAPPINGS = 16,
	MOST_ENTRIES = 64,
	LOWEST_ADDRESS = 65536,	 /* vm.mmap_min_addr */
	CALLBACK_MOST = 1 << 23, /* BPF_MAX_LOOPS */
};

struct element {
	struct element *next;
	uint64_t used; /* of an LRU map: when */
	void *key, *value;
};

struct map {
	const void *object; /* the program's */
	struct kernel_shape shape;
	struct element **buckets; /* of hashes; an array's elements are its places */
	size_t count;
};

struct memory {
	uint64_t address;
	const void *data;
	size_t size;
};

struct mapping {
	void *vma;
	uint64_t start, end;
};

/* Where a task entered the kernel. */
struct entry {
	const void *task, *registers;
};

struct kernel kernel;

static struct {
	struct map maps[MOST_MAPS];
	size_t map_count;
	struct memory memories[MOST_MEMORIES];
	size_t memory_count;
	struct mapping mappings[MOST_MAPPINGS];
	size_t mapping_count;
	struct entry entries[MOST_ENTRIES];
	size_t entry_count;
	struct element *garbage;
	struct kernel_record *records;
	unsigned depth; /* programs that run */
	uint64_t uses;
} own;

/* A mistake of the test's or the program's that no program would live to see. */
static void require(bool condition, const char *what)
{
	if (condition)
		return;
	if (write(STDERR_FILENO, what, strlen(what)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
		_exit(1);
	abort();
}

/* ---- maps ---- */

static struct map *find_map(const void *object)
{
	for (size_t i = 0; i < own.map_count; i++) {
		if (own.maps[i].object == object)
			return &own.maps[i];
	}
	require(false, "a program uses a map that was not added");
	return NULL;
}

static bool is_hash(const struct map *map)
{
	return map->shape.type == BPF_MAP_TYPE_HASH || map->shape.type == BPF_MAP_TYPE_LRU_HASH ||
	       map->shape.type == BPF_MAP_TYPE_TASK_STORAGE;
}

static size_t places_of(const struct map *map)
{
	size_t cpus = map->shape.type == BPF_MAP_TYPE_PERCPU_ARRAY ? KERNEL_CPUS : 1;

	return is_hash(map) ? BUCKETS : map->shape.max_entries * cpus;
}

static void element_free(struct element *element)
{
	free(element->key);
	free(element->value);
	free(element);
}

static void elements_free(struct element *element)
{
	while (element) {
		struct element *next = element->next;

		element_free(element);
		element = next;
	}
}

static void map_clear(struct map *map)
{
	for (size_t i = 0; map->buckets && i < places_of(map); i++)
		elements_free(map->buckets[i]);
	free(map->buckets);
	map->buckets = NULL;
	map->count = 0;
}

void kernel_map_add(const void *object, struct kernel_shape shape)
{
	require(own.map_count < MOST_MAPS, "too many maps");
	own.maps[own.map_count++] = (struct map){ .object = object, .shape = shape };
}

void kernel_map_resize(const void *object, uint32_t max_entries)
{
	struct map *map = find_map(object);

	map_clear(map);
	map->shape.max_entries = max_entries;
}

size_t kernel_map_count(const void *object)
{
	return find_map(object)->count;
}

static struct element **bucket_of(struct map *map, const void *key)
{
	const unsigned char *bytes = key;
	uint32_t hash = 0x811c9dc5;

	for (uint32_t i = 0; i < map->shape.key_size; i++)
		hash = (hash ^ bytes[i]) * 0x01000193;
	if (!map->buckets)
		map->buckets = xcalloc(BUCKETS, sizeof(*map->buckets));
	return &map->buckets[hash % BUCKETS];
}

/* The link to the element, or to where it would be. */
static struct element **find_element(struct map *map, const void *key)
{
	struct element **at = bucket_of(map, key);

	while (*at && memcmp((*at)->key, key, map->shape.key_size) != 0)
		at = &(*at)->next;
	return at;
}

static struct element *element_new(const struct map *map, const void *key)
{
	struct element *element = xcalloc(1, sizeof(*element));

	require(posix_memalign(&element->value, VALUE_ALIGNMENT, map->shape.value_size) == 0,
		"out of memory");
	memset(element->value, 0, map->shape.value_size);
	if (key) {
		element->key = xmalloc(map->shape.key_size);
		memcpy(element->key, key, map->shape.key_size);
	}
	element->used = ++own.uses;
	return element;
}

static void unlink_element(struct map *map, struct element **at)
{
	struct element *gone = *at;

	*at = gone->next;
	map->count--;
	gone->next = own.garbage;
	own.garbage = gone;
}

static void evict(struct map *map)
{
	struct element **oldest = NULL;

	for (size_t i = 0; i < BUCKETS; i++) {
		for (struct element **at = &map->buckets[i]; *at; at = &(*at)->next) {
			if (!oldest || (*at)->used < (*oldest)->used)
				oldest = at;
		}
	}
	if (oldest)
		unlink_element(map, oldest);
}

static void *array_value(struct map *map, uint32_t index)
{
	bool per_cpu = map->shape.type == BPF_MAP_TYPE_PERCPU_ARRAY;
	size_t place = per_cpu ? (size_t)index * KERNEL_CPUS + kernel.cpu : index;

	if (index >= map->shape.max_entries)
		return NULL;
	if (!map->buckets)
		map->buckets = xcalloc(places_of(map), sizeof(*map->buckets));
	if (!map->buckets[place])
		map->buckets[place] = element_new(map, NULL);
	return map->buckets[place]->value;
}

static uint32_t index_of(const void *key)
{
	uint32_t index;

	memcpy(&index, key, sizeof(index));
	return index;
}

void *bpf_map_lookup_elem(const void *object, const void *key)
{
	struct map *map = find_map(object);
	struct element *found;
	void *value;

	if (!is_hash(map)) {
		value = array_value(map, index_of(key));
		return value && map->shape.type == BPF_MAP_TYPE_ARRAY_OF_MAPS ? *(void **)value
									      : value;
	}
	found = *find_element(map, key);
	if (!found)
		return NULL;
	found->used = ++own.uses;
	return found->value;
}

static long update_array(struct map *map, const void *key, const void *value, uint64_t flags)
{
	void *to = array_value(map, index_of(key));

	if (!to)
		return -E2BIG;
	if (flags == BPF_NOEXIST)
		return -EEXIST;
	memcpy(to, value, map->shape.value_size);
	return 0;
}

static long make_room(struct map *map)
{
	if (map->count >= map->shape.max_entries) {
		if (map->shape.type != BPF_MAP_TYPE_LRU_HASH)
			return -E2BIG;
		evict(map);
	}
	if (map->shape.on_demand) {
		if (!kernel.elements_left)
			return -ENOMEM;
		kernel.elements_left--;
	}
	return 0;
}

static long add_element(struct map *map, const void *key, const void *value)
{
	long rc = make_room(map);
	struct element **at;

	if (rc < 0)
		return rc;
	at = find_element(map, key);
	*at = element_new(map, key);
	if (value)
		memcpy((*at)->value, value, map->shape.value_size);
	map->count++;
	return 0;
}

long bpf_map_update_elem(const void *object, const void *key, const void *value, __u64 flags)
{
	struct map *map = find_map(object);
	struct element *found;

	if (flags > BPF_EXIST)
		return -EINVAL;
	if (!is_hash(map))
		return update_array(map, key, value, flags);
	found = *find_element(map, key);
	if (found && flags == BPF_NOEXIST)
		return -EEXIST;
	if (!found && flags == BPF_EXIST)
		return -ENOENT;
	if (!found)
		return add_element(map, key, value);
	memcpy(found->value, value, map->shape.value_size);
	found->used = ++own.uses;
	return 0;
}

long bpf_map_delete_elem(const void *object, const void *key)
{
	struct map *map = find_map(object);
	struct element **at;

	if (!is_hash(map))
		return -EINVAL;
	at = find_element(map, key);
	if (!*at)
		return -ENOENT;
	unlink_element(map, at);
	return 0;
}

long bpf_for_each_map_elem(const void *object, void *callback, void *context, __u64 flags)
{
	long (*call)(const void *, const void *, void *, void *) = callback;
	struct map *map = find_map(object);
	long count = 0;

	if (flags)
		return -EINVAL;
	for (size_t i = 0; map->buckets && i < BUCKETS; i++) {
		struct element *element = map->buckets[i];

		while (element) {
			struct element *next = element->next;

			count++;
			if (call(object, element->key, element->value, context))
				return count;
			element = next;
		}
	}
	return count;
}

void *bpf_task_storage_get(const void *object, const void *task, const void *value, __u64 flags)
{
	struct map *map = find_map(object);
	struct element *found;

	require(map->shape.type == BPF_MAP_TYPE_TASK_STORAGE, "no map that keeps for tasks");
	if (!task)
		return NULL;
	found = *find_element(map, &task);
	if (found)
		return found->value;
	if (!(flags & BPF_LOCAL_STORAGE_GET_F_CREATE) || add_element(map, &task, value) < 0)
		return NULL;
	return (*find_element(map, &task))->value;
}

void kernel_task_free(const void *task)
{
	for (size_t i = 0; i < own.map_count; i++) {
		struct map *map = &own.maps[i];

		if (map->shape.type == BPF_MAP_TYPE_TASK_STORAGE && *find_element(map, &task))
			unlink_element(map, find_element(map, &task));
	}
}

void kernel_set(const volatile void *constant, const void *value, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)constant / page * page, end = (uintptr_t)constant + size;

	require(mprotect((void *)start, end - start, PROT_READ | PROT_WRITE) == 0, "mprotect");
	memcpy((void *)(uintptr_t)constant, value, size);
}

/* ---- who runs, where and when ---- */

__u64 bpf_ktime_get_ns(void)
{
	void (*happens)(void) = kernel.at_clock;
	uint64_t now_ns = kernel.now_ns;

	kernel.at_clock = NULL;
	if (happens)
		happens();
	return now_ns;
}

__u32 bpf_get_smp_processor_id(void)
{
	return kernel.cpu;
}

__u64 bpf_get_current_pid_tgid(void)
{
	return (uint64_t)kernel.current->pid << 32 | kernel.current->tid;
}

__u64 bpf_get_current_uid_gid(void)
{
	return kernel.current->uid;
}

/* All of @to is written, as strscpy_pad does. */
long bpf_get_current_comm(void *to, __u32 size)
{
	memset(to, 0, size);
	strncpy(to, kernel.current->comm, size - 1);
	return 0;
}

void *kernel_current_task(void)
{
	return kernel.current->task;
}

__u64 bpf_get_current_task(void)
{
	return (uintptr_t)kernel.current->task;
}

/* ---- memory and stacks ---- */

void kernel_memory_add(uint64_t address, const void *data, size_t size)
{
	require(own.memory_count < MOST_MEMORIES, "too many pieces of memory");
	own.memories[own.memory_count++] =
		(struct memory){ .address = address, .data = data, .size = size };
}

static const void *find_memory(uint64_t address, size_t size)
{
	for (size_t i = 0; i < own.memory_count; i++) {
		const struct memory *memory = &own.memories[i];

		if (address >= memory->address && address - memory->address < memory->size &&
		    size <= memory->size - (address - memory->address))
			return (const char *)memory->data + (address - memory->address);
	}
	return NULL;
}

/* What cannot be read becomes zeros. */
static long copy(void *to, size_t size, const void *from)
{
	if (!from) {
		memset(to, 0, size);
		return -EFAULT;
	}
	memcpy(to, from, size);
	return 0;
}

long bpf_probe_read_user(void *to, __u32 size, const void *from)
{
	return copy(to, size, find_memory((uintptr_t)from, size));
}

/* The kernel's memory is what was added, and all that this program has. */
static const void *kernel_memory(const void *from, size_t size)
{
	const void *added = find_memory((uintptr_t)from, size);

	if (added)
		return added;
	return (uintptr_t)from < LOWEST_ADDRESS || (uintptr_t)from >> 63 ? NULL : from;
}

long bpf_probe_read_kernel(void *to, __u32 size, const void *from)
{
	return copy(to, size, kernel_memory(from, size));
}

long bpf_probe_read_kernel_str(void *to, __u32 size, const void *from)
{
	const char *text = kernel_memory(from, 1);
	size_t length;

	if (!text || !size)
		return copy(to, size, NULL);
	length = strnlen(text, size - 1);
	memcpy(to, text, length);
	((char *)to)[length] = '\0';
	return (long)length + 1;
}

static long copy_stack(const struct kernel_stack *stack, void *to, uint32_t size)
{
	size_t bytes = stack->count * sizeof(stack->addresses[0]);

	if (stack->error)
		return stack->error;
	if (bytes > size)
		bytes = size / sizeof(stack->addresses[0]) * sizeof(stack->addresses[0]);
	memcpy(to, stack->addresses, bytes);
	memset((char *)to + bytes, 0, size - bytes);
	return (long)bytes;
}

long bpf_get_stack(const void *context, void *to, __u32 size, __u64 flags)
{
	(void)context;
	return copy_stack(flags & BPF_F_USER_STACK ? &kernel.user_stack : &kernel.kernel_stack, to,
			  size);
}

long bpf_get_task_stack(const void *task, void *to, __u32 size, __u64 flags)
{
	(void)task;
	(void)flags;
	return copy_stack(&kernel.task_stack, to, size);
}

void kernel_mapping_add(void *vma, uint64_t start, uint64_t end)
{
	require(own.mapping_count < MOST_MAPPINGS, "too many mappings");
	own.mappings[own.mapping_count++] =
		(struct mapping){ .vma = vma, .start = start, .end = end };
}

void kernel_mappings_clear(void)
{
	own.mapping_count = 0;
}

long bpf_find_vma(const void *task, __u64 address, void *callback, void *context, __u64 flags)
{
	long (*call)(const void *, void *, void *) = callback;

	if (flags)
		return -EINVAL;
	if (kernel.mappings_change)
		return -EBUSY;
	for (size_t i = 0; i < own.mapping_count; i++) {
		if (address >= own.mappings[i].start && address < own.mappings[i].end) {
			call(task, own.mappings[i].vma, context);
			return 0;
		}
	}
	return -ENOENT;
}

/* ---- what is counted, and what user space gets ---- */

long bpf_perf_event_read_value(const void *object, __u64 flags, struct bpf_perf_event_value *to,
			       __u32 size)
{
	uint64_t index = flags & BPF_F_INDEX_MASK;

	require(find_map(object)->shape.type == BPF_MAP_TYPE_PERF_EVENT_ARRAY, "no event array");
	memset(to, 0, size);
	if (size != sizeof(*to))
		return -EINVAL;
	if (index == BPF_F_CURRENT_CPU)
		index = kernel.cpu;
	if (index >= kernel.event_count)
		return -ENOENT;
	*to = kernel.events[index];
	return 0;
}

static long put(const void *object, const void *data, size_t size)
{
	struct kernel_record *record;

	if (size > kernel.output_left)
		return -ENOSPC;
	kernel.output_left -= size;
	own.records = xrealloc(own.records, (kernel.record_count + 1) * sizeof(*own.records));
	kernel.records = own.records;
	record = &own.records[kernel.record_count++];
	*record = (struct kernel_record){ .map = object, .cpu = kernel.cpu, .size = size };
	record->data = xmalloc(size);
	memcpy(record->data, data, size);
	return 0;
}

long bpf_perf_event_output(const void *context, const void *object, __u64 flags, const void *data,
			   __u64 size)
{
	(void)context;
	require(find_map(object)->shape.type == BPF_MAP_TYPE_PERF_EVENT_ARRAY, "no event array");
	require(flags == BPF_F_CURRENT_CPU, "another CPU's ring");
	return put(object, data, size);
}

void *bpf_ringbuf_reserve(const void *object, __u64 size, __u64 flags)
{
	void *empty;
	long rc;

	require(find_map(object)->shape.type == BPF_MAP_TYPE_RINGBUF && !flags, "no ring buffer");
	empty = xcalloc(1, size);
	rc = put(object, empty, size);
	free(empty);
	return rc < 0 ? NULL : own.records[kernel.record_count - 1].data;
}

void bpf_ringbuf_submit(void *data, __u64 flags)
{
	(void)flags;
	require(kernel.record_count && own.records[kernel.record_count - 1].data == data,
		"submitted what was not reserved");
}

long bpf_seq_write(void *seq, const void *data, __u32 size)
{
	(void)seq;
	return put(NULL, data, size) < 0 ? -EOVERFLOW : 0;
}

void kernel_records_clear(void)
{
	for (size_t i = 0; i < kernel.record_count; i++)
		free(own.records[i].data);
	free(own.records);
	own.records = NULL;
	kernel.records = NULL;
	kernel.record_count = 0;
}

/* ---- the rest ---- */

long bpf_loop(__u32 count, void *callback, void *context, __u64 flags)
{
	long (*call)(uint32_t, void *) = callback;

	if (flags)
		return -EINVAL;
	if (count > CALLBACK_MOST)
		return -E2BIG;
	for (uint32_t i = 0; i < count; i++) {
		if (call(i, context))
			return i + 1;
	}
	return count;
}

__u32 bpf_get_prandom_u32(void)
{
	return kernel.random;
}

__u64 bpf_get_attach_cookie(const void *context)
{
	(void)context;
	return kernel.cookie;
}

long bpf_get_func_arg(const void *context, __u32 number, __u64 *to)
{
	(void)context;
	if (number >= KERNEL_ARGUMENTS)
		return -EINVAL;
	*to = kernel.arguments[number];
	return 0;
}

long bpf_get_func_ret(const void *context, __u64 *to)
{
	(void)context;
	*to = kernel.returned;
	return 0;
}

long bpf_task_pt_regs(const void *task)
{
	for (size_t i = 0; i < own.entry_count; i++) {
		if (own.entries[i].task == task)
			return (long)own.entries[i].registers;
	}
	require(false, "a program asks for registers of a task that has none");
	return 0;
}

void kernel_registers_add(const void *task, const void *registers)
{
	require(own.entry_count < MOST_ENTRIES, "too many tasks with registers");
	own.entries[own.entry_count++] = (struct entry){ .task = task, .registers = registers };
}

/* ---- running ---- */

void kernel_enter(void)
{
	own.depth++;
}

int kernel_leave(int value)
{
	if (--own.depth == 0) {
		elements_free(own.garbage);
		own.garbage = NULL;
	}
	return value;
}

void kernel_begin(void)
{
	static const struct kernel_task idle = { .comm = "swapper" };

	kernel = (struct kernel){ .current = &idle,
				  .now_ns = 1000 * 1000 * 1000,
				  .random = 1,
				  .elements_left = SIZE_MAX,
				  .output_left = SIZE_MAX };
}

void kernel_end(void)
{
	for (size_t i = 0; i < own.map_count; i++)
		map_clear(&own.maps[i]);
	elements_free(own.garbage);
	kernel_records_clear();
	memset(&own, 0, sizeof(own));
}
