/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/jit/jit.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "foreign/door.h"
#include "place/files/image_files.h"
#include "place/jit/jit_process.h"

enum {
	/* Processes that run their own JIT code; beyond these, code is known by address alone. Each
	 * holds up to three descriptors while it lives. */
	MAX_LIVING = 128,
	MAX_PROCESSES = 1 << 21,  /* as many pairs of maps as CODE_MAP_ROOM allows */
	MAX_CODE_BYTES = 1 << 20, /* of one function, at most */
	MAX_FORKS = 8,		  /* from a process back to the one that made its code */
};

/* A process's own image for memory, by the image that all processes would share. */
struct own_image {
	uint32_t shared, own;
};

struct member {
	struct jit_process *announced;
	uint32_t parent; /* member + 1 whose code this one had at birth; 0: none */
	uint64_t born_ns;
	bool asked; /* it had ended by jit_asking: no more frames will come */
	VEC(struct own_image) images;
};

/* The lines of the last piece, since the next frame is often in it. Zero-initialised is empty. */
struct last_lines {
	const struct jit_source *source; /* NULL: none */
	uint32_t begun;			 /* of the source */
	enum jit_lines_origin origin;	 /* as known then */
	uint64_t lines_at, size;	 /* of the piece */
	bool understood;		 /* list and texts are valid; else they are empty */
	jit_line_list list;
	char *texts;
};

struct jit {
	struct profile *profile;
	struct jit_clock clock;
	VEC(struct member) members;
	VEC(uint32_t) of_process; /* row -> member + 1 */
	VEC(uint32_t) of_image;	  /* image -> member + 1 */
	size_t living;		  /* living processes; of the past: those with an open jitdump */
	size_t dumps_closed;	  /* of the past: jitdumps that were closed */
	uint64_t time_ns;	  /* of the current sample */
	struct foreign *foreign;  /* NULL: none */
	char *past_root;	  /* NULL: processes are followed as they live */
	struct last_lines last_lines;
	struct jit_line_counts line_counts;
};

struct jit *jit_new(struct profile *profile)
{
	struct jit *jit = xcalloc(1, sizeof(*jit));

	jit->profile = profile;
	jit->clock = jit_source_clock();
	return jit;
}

struct jit *jit_new_of_past(struct profile *profile, const char *root)
{
	struct jit *jit = jit_new(profile);

	jit->past_root = xstrdup(root);
	return jit;
}

void jit_set_foreign(struct jit *jit, struct foreign *foreign)
{
	jit->foreign = foreign;
}

static void forget_lines(struct last_lines *last)
{
	vec_free(&last->list);
	free(last->texts);
	*last = (struct last_lines){ 0 };
}

void jit_free(struct jit *jit)
{
	if (!jit)
		return;
	forget_lines(&jit->last_lines);
	free(jit->past_root);
	for (size_t i = 0; i < jit->members.count; i++) {
		jit_process_free(jit->members.items[i].announced);
		vec_free(&jit->members.items[i].images);
	}
	vec_free(&jit->members);
	vec_free(&jit->of_process);
	vec_free(&jit->of_image);
	free(jit);
}

/* ---- the processes ---- */

/* The vector's entry for a row; extends the vector if needed. */
#define SLOT(vector, index)                        \
	({                                         \
		while ((vector)->count <= (index)) \
			*vec_push(vector) = 0;     \
		&(vector)->items[index];           \
	})

/* The row whose memory a process had when it was forked. 0: it began with exec, or before the
 * recording, when its parent is not known. */
static uint32_t forked_from(const struct jit *jit, uint32_t row)
{
	const struct process *process = &jit->profile->processes.items[row];

	if (process->exec_count || process->start_ns < jit->profile->run.start_ns)
		return 0;
	return process->parent;
}

static uint32_t member_of(struct jit *jit, uint32_t row, int forks);

static uint32_t add_member(struct jit *jit, uint32_t row, int forks)
{
	uint32_t source = forks < MAX_FORKS ? forked_from(jit, row) : 0;
	uint32_t parent = source ? member_of(jit, source, forks + 1) : 0;
	uint32_t number = (uint32_t)jit->members.count;
	struct member member = {
		.parent = parent,
		.born_ns = jit->profile->processes.items[row].start_ns,
	};

	if ((!jit->past_root && jit->living >= MAX_LIVING) || number >= MAX_PROCESSES)
		return 0;
	member.announced = jit_process_new(
		jit->profile, row, number, parent != 0,
		&(struct jit_place_of){ .past_root = jit->past_root, .foreign = jit->foreign });
	*vec_push(&jit->members) = member;
	if (jit->past_root) {
		jit_process_read_map(member.announced);
	} else {
		jit_process_follow(member.announced, &jit->clock, clock_ns());
		jit->living++;
	}
	return number + 1;
}

/* The member + 1 of the row; 0: there are too many. */
static uint32_t member_of(struct jit *jit, uint32_t row, int forks)
{
	uint32_t member = *SLOT(&jit->of_process, row);

	if (!member) {
		member = add_member(jit, row, forks);
		*SLOT(&jit->of_process, row) = member;
	}
	return member;
}

static void read_past_dump(struct jit *jit, struct jit_process *process)
{
	bool keep = jit->living < MAX_LIVING;

	jit_process_read_dump(process, &jit->clock, keep);
	if (keep)
		jit->living++;
	else
		jit->dumps_closed++;
}

void jit_mapped(struct jit *jit, uint32_t process, const struct mapped_file *file)
{
	uint32_t member;

	if (!process || !jit_process_is_dump(file->path))
		return;
	member = member_of(jit, process, 0);
	if (!member)
		return;
	if (jit_process_mapped(jit->members.items[member - 1].announced, file) && jit->past_root)
		read_past_dump(jit, jit->members.items[member - 1].announced);
}

size_t jit_dumps_closed(const struct jit *jit)
{
	return jit->dumps_closed;
}

size_t jit_far(const struct jit *jit)
{
	size_t count = 0;

	for (size_t i = 0; i < jit->members.count; i++)
		count += jit->members.items[i].announced->far;
	return count;
}

static void end_member(struct jit *jit, struct member *member, uint64_t now_ns)
{
	if (member->announced->ended)
		return;
	jit_process_finish(member->announced, &jit->clock, now_ns);
	jit->living--;
}

void jit_follow(struct jit *jit, uint64_t now_ns)
{
	for (size_t i = 0; i < jit->members.count; i++) {
		struct member *member = &jit->members.items[i];
		const struct process *row = &jit->profile->processes.items[member->announced->row];

		if (member->announced->ended)
			continue;
		if (row->end_ns)
			end_member(jit, member, now_ns);
		else
			jit_process_follow(member->announced, &jit->clock, now_ns);
	}
}

void jit_finish(struct jit *jit, uint64_t now_ns)
{
	for (size_t i = 0; i < jit->members.count; i++)
		end_member(jit, &jit->members.items[i], now_ns);
}

/* Marks the members whose code a process may run, itself included. */
static void mark_needed(const struct jit *jit, uint32_t member, bool *needed)
{
	for (int forks = 0; member && forks <= MAX_FORKS; forks++) {
		needed[member - 1] = true;
		member = jit->members.items[member - 1].parent;
	}
}

/* A living process that was forked may yet run code that its ancestors announced. */
static void mark_inherited(const struct jit *jit, uint32_t row, bool *needed)
{
	for (int forks = 0; forks < MAX_FORKS && (row = forked_from(jit, row)) != 0; forks++) {
		if (row < jit->of_process.count)
			mark_needed(jit, jit->of_process.items[row], needed);
	}
}

void jit_asking(struct jit *jit)
{
	for (size_t i = 0; i < jit->members.count; i++)
		jit->members.items[i].asked = jit->members.items[i].announced->ended;
}

void jit_rest(struct jit *jit)
{
	const struct vec_holes *holes = &jit->profile->process_holes;
	_cleanup_free_ bool *needed = xcalloc(jit->members.count + 1, sizeof(*needed));

	for (size_t i = 0; i < jit->members.count; i++) {
		if (!jit->members.items[i].asked)
			mark_needed(jit, (uint32_t)i + 1, needed);
	}
	for (size_t row = vec_after_hole(holes, 1);
	     jit->members.count && row < jit->profile->processes.count;
	     row = vec_after_hole(holes, row + 1)) {
		if (!jit->profile->processes.items[row].end_ns)
			mark_inherited(jit, (uint32_t)row, needed);
	}
	for (size_t i = 0; i < jit->members.count; i++) {
		if (!needed[i])
			jit_process_forget(jit->members.items[i].announced);
	}
}

/* ---- places ---- */

static uint32_t make_image(struct jit *jit, uint32_t process, uint32_t shared)
{
	struct image image = jit->profile->images.items[shared];

	image.inode = process;
	image.dirty = false;
	return profile_image(jit->profile, &image);
}

static uint32_t own_image(struct jit *jit, uint32_t member, uint32_t shared)
{
	struct member *owner = &jit->members.items[member - 1];
	uint32_t own;

	for (size_t i = 0; i < owner->images.count; i++) {
		if (owner->images.items[i].shared == shared)
			return owner->images.items[i].own;
	}
	own = make_image(jit, owner->announced->row, shared);
	*vec_push(&owner->images) = (struct own_image){ .shared = shared, .own = own };
	*SLOT(&jit->of_image, own) = member;
	return own;
}

/* A piece and the source that announced it. */
struct found {
	const struct jit_source *source;
	const struct code_piece *piece;
};

typedef const struct code_piece *(*finder)(const struct code_map *map, uint64_t where,
					   uint64_t time_ns);

static const struct code_piece *by_place(const struct code_map *map, uint64_t where,
					 uint64_t time_ns)
{
	(void)time_ns;
	return code_map_at(map, where);
}

/* Searches a process and those it was forked from, the more reliable source first. */
static bool find(const struct jit *jit, uint32_t member, finder find_in, uint64_t where,
		 uint64_t time_ns, struct found *found)
{
	for (int forks = 0; member && forks <= MAX_FORKS; forks++) {
		const struct member *at = &jit->members.items[member - 1];
		const struct jit_source *sources[] = { &at->announced->dump, &at->announced->map };

		for (int i = 0; i < 2; i++) {
			*found = (struct found){ .source = sources[i] };
			if (sources[i]->map)
				found->piece = find_in(sources[i]->map, where, time_ns);
			if (found->piece)
				return true;
		}
		time_ns = at->born_ns < time_ns ? at->born_ns : time_ns;
		member = at->parent;
	}
	return false;
}

/* A return address is after the call, which may be the last instruction. */
static uint64_t back_off(const struct frame *frame)
{
	return frame->kind == FRAME_RETURN ? 1 : 0;
}

void jit_set_time(struct jit *jit, uint64_t time_ns)
{
	jit->time_ns = time_ns;
}

static bool has_placed(const struct jit_source *source)
{
	return source->map && code_map_has_placed(source->map);
}

bool jit_reuses(const struct jit *jit, uint32_t process)
{
	uint32_t member = process < jit->of_process.count ? jit->of_process.items[process] : 0;

	for (int forks = 0; member && forks <= MAX_FORKS; forks++) {
		const struct member *at = &jit->members.items[member - 1];

		if (has_placed(&at->announced->dump) || has_placed(&at->announced->map))
			return true;
		member = at->parent;
	}
	return false;
}

static uint64_t place_now(const struct jit *jit, uint32_t member, const struct frame *frame)
{
	struct found found;

	if (!find(jit, member, code_map_find, frame->address - back_off(frame), jit->time_ns,
		  &found))
		return frame->address;
	return found.piece->place + (frame->address - found.piece->start);
}

void jit_place(struct jit *jit, uint32_t process, struct frame *frame)
{
	uint32_t member = member_of(jit, process, 0);

	frame->offset = frame->address;
	if (!member)
		return;
	frame->image = own_image(jit, member, frame->image);
	frame->offset = place_now(jit, member, frame);
}

/* ---- names ---- */

static uint32_t member_of_image(const struct jit *jit, uint32_t image)
{
	return image < jit->of_image.count ? jit->of_image.items[image] : 0;
}

bool jit_renew(const struct jit *jit, struct frame *frame)
{
	uint32_t member = member_of_image(jit, frame->image);
	uint64_t before = frame->offset;

	if (member)
		frame->offset = place_now(jit, member, frame);
	return frame->offset != before;
}

/* The piece at the frame's place. If none was known then, the first one announced there. */
static bool find_frame(const struct jit *jit, const struct frame *frame, uint32_t member,
		       struct found *found)
{
	uint64_t at = frame->offset - back_off(frame);

	return find(jit, member, by_place, at, 0, found) ||
	       (at < CODE_MAP_PLACES && find(jit, member, code_map_find, at, 0, found));
}

static void call_it_jit(struct jit *jit, uint32_t id)
{
	struct image *image = &jit->profile->images.items[id];
	str_id path = strpool_intern(&jit->profile->strings, "[jit]");

	image->dirty |= image->path != path;
	image->path = path;
}

/* Changes of the process and of those whose code it may run. */
static uint64_t changes_of(const struct jit *jit, uint32_t member, bool *ret_all_ended)
{
	uint64_t changes = 1;

	*ret_all_ended = true;
	for (int forks = 0; member && forks <= MAX_FORKS; forks++) {
		const struct member *at = &jit->members.items[member - 1];

		changes += jit_process_changes(at->announced);
		*ret_all_ended &= at->announced->ended;
		member = at->parent;
	}
	return changes;
}

enum jit_answer jit_lookup(struct jit *jit, const struct frame *frame, uint64_t *changes,
			   struct symbol *ret_symbol)
{
	uint32_t member = member_of_image(jit, frame->image);
	struct found found;
	uint64_t before = *changes;
	bool all_ended;

	if (!member)
		return JIT_NOT_OURS;
	*changes = changes_of(jit, member, &all_ended);
	if (*changes == before || !find_frame(jit, frame, member, &found))
		return all_ended ? JIT_NEVER : JIT_NOT_YET;
	call_it_jit(jit, frame->image);
	*ret_symbol = (struct symbol){
		.name = strpool_intern(&jit->profile->strings,
				       code_map_name(found.source->map, found.piece)),
		.start = found.piece->start,
		.size = found.piece->size,
		.kind = SYMBOL_NAMED,
	};
	return JIT_NAMED;
}

/* ---- lines ---- */

static bool has_lines(const struct last_lines *last, const struct found *found,
		      enum jit_lines_origin origin)
{
	return last->source == found->source && last->begun == found->source->begun &&
	       last->origin == origin && last->lines_at == found->piece->lines_at &&
	       last->size == found->piece->size;
}

/* Remembers a record that could not be read as well: trying costs as much as succeeding. */
static const jit_line_list *lines_of(struct jit *jit, const struct found *found)
{
	enum jit_lines_origin origin = jit_lines_origin(&found->source->lines_evidence);
	struct last_lines *last = &jit->last_lines;
	size_t size;

	if (!has_lines(last, found, origin)) {
		forget_lines(last);
		last->source = found->source;
		last->begun = found->source->begun;
		last->origin = origin;
		last->lines_at = found->piece->lines_at;
		last->size = found->piece->size;
		last->understood = jit_source_lines(found->source, found->piece, &last->texts,
						    &size, &last->list);
		jit->line_counts.bytes_read += size;
	}
	return last->understood ? &last->list : NULL;
}

/* Adds a line of the piece at @place to the profile. */
static void keep_line(struct jit *jit, uint32_t image, uint64_t place, const struct jit_line *line)
{
	struct source_line row = {
		.image = image, .start = place + line->start, .size = line->size, .line = line->line
	};

	if (!line->line || !*line->file)
		return;
	if (jit->profile->lines.count > JIT_MOST_LINES) {
		jit->line_counts.dropped++;
		return;
	}
	row.file = jit_lines_file(&jit->profile->strings, line->file);
	profile_line(jit->profile, &row);
}

/* The place of the piece's first byte. A frame from before anything was announced has its address
 * as its place. */
static uint64_t start_of(const struct frame *frame, const struct found *found)
{
	return frame->offset - (frame->address - found->piece->start);
}

static bool keep_lines(struct jit *jit, const struct frame *frame, bool whole,
		       const struct found *found)
{
	uint64_t place = start_of(frame, found);
	const struct jit_line *line;
	const jit_line_list *list;

	if (!found->piece->lines_at)
		return true;
	list = lines_of(jit, found);
	if (!list)
		return jit_lines_origin(&found->source->lines_evidence) != JIT_LINES_UNKNOWN;
	line = whole ? NULL : jit_lines_find(list, frame->offset - back_off(frame) - place);
	if (line)
		keep_line(jit, frame->image, place, line);
	for (size_t i = 0; whole && i < list->count; i++)
		keep_line(jit, frame->image, place, &list->items[i]);
	return true;
}

bool jit_keep_lines(struct jit *jit, const struct frame *frame, bool whole, uint64_t *changes)
{
	uint32_t member = member_of_image(jit, frame->image);
	uint64_t before = *changes;
	struct found found;
	bool all_ended;

	if (!member)
		return true;
	*changes = changes_of(jit, member, &all_ended);
	if (*changes == before)
		return all_ended;
	if (!find_frame(jit, frame, member, &found))
		return true;
	return keep_lines(jit, frame, whole, &found) || all_ended;
}

struct jit_line_counts jit_line_counts(const struct jit *jit)
{
	return jit->line_counts;
}

/* ---- code ---- */

/* Reads the process's memory, if the piece is still there. */
static bool read_memory(const struct jit *jit, uint32_t member, const struct found *found,
			struct buf *code)
{
	const struct jit_process *process = jit->members.items[member - 1].announced;
	size_t size = found->piece->size;
	_cleanup_free_ char *bytes = NULL;
	ssize_t got;

	if (process->ended || size > MAX_CODE_BYTES ||
	    code_map_find(found->source->map, found->piece->start, UINT64_MAX) != found->piece)
		return false;
	if (size > DOOR_MOST_MEMORY)
		size = DOOR_MOST_MEMORY; /* its beginning is enough */
	bytes = xmalloc(size);
	got = door_read_memory(jit->foreign, process->pid, found->piece->start, bytes, size);
	if (got == (ssize_t)size)
		buf_add(code, bytes, size);
	return got == (ssize_t)size;
}

bool jit_code(const struct jit *jit, const struct frame *frame, uint64_t *ret_place,
	      uint64_t *ret_start, struct buf *code)
{
	uint32_t member = member_of_image(jit, frame->image);
	struct found found;

	if (!member || !find_frame(jit, frame, member, &found))
		return false;
	*ret_start = found.piece->start;
	*ret_place = start_of(frame, &found);
	return jit_source_code(found.source, found.piece, code) ||
	       read_memory(jit, member, &found, code);
}
