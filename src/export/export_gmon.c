/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A gmon.out as gprof reads it (sys/gmon_out.h): a histogram of the addresses of one executable. It
 * has no arcs: gprof takes their numbers for calls and divides a function's time by them, but
 * samples do not count calls.
 *
 * A bin covers two bytes of code and counts ticks; the rate of ticks is a power of ten with which
 * the counts fit. The rest below a tick goes to the next bin, so that the sum is right. An event
 * that does not count time has units of 1e9 in place of seconds.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/account/account.h"
#include "base/compare.h"
#include "export/formats.h"

enum {
	GMON_VERSION = 1,
	TAG_HISTOGRAM = 0,
	BIN_BYTES = 2,
	GAP_BYTES = 4096, /* a larger gap begins another histogram */
	MOST_RATE = 1000000,
	DIMENSION_BYTES = 15,
};

#define PER_UNIT 1e9

struct hit {
	uint64_t address; /* of its bin */
	uint64_t weight;
};

struct gmon {
	const struct export_data *data;
	FILE *out;
	VEC(struct hit) hits;
	uint64_t most; /* the heaviest hit */
	uint32_t rate; /* ticks per second, or per 1e9 */
	double owed;   /* the rest below a tick */
	uint64_t in_image;
};

static bool in_image(const struct gmon *gmon, uint32_t frame)
{
	return gmon->data->profile->frames.items[frame].image == gmon->data->image;
}

/* ---- gathering ---- */

static void take_row(struct gmon *gmon, const struct total *row)
{
	const struct profile *profile = gmon->data->profile;
	uint32_t leaf = profile->stacks.items[row->stack].frame;

	if (row->event != gmon->data->event)
		return;
	if (!in_image(gmon, leaf))
		return;
	gmon->in_image += row->weight;
	*vec_push(&gmon->hits) = (struct hit){
		.address = export_code_address(&profile->frames.items[leaf]) & ~(BIN_BYTES - 1ULL),
		.weight = row->weight,
	};
}

DEFINE_ORDER(hit_order, struct hit, COMPARE(a->address, b->address))

static void add_up_hits(struct gmon *gmon)
{
	struct hit *hits = gmon->hits.items;
	size_t kept = 0;

	if (gmon->hits.count)
		qsort(hits, gmon->hits.count, sizeof(*hits), hit_order);
	for (size_t i = 0; i < gmon->hits.count; i++) {
		if (kept && hits[kept - 1].address == hits[i].address)
			hits[kept - 1].weight += hits[i].weight;
		else
			hits[kept++] = hits[i];
		if (hits[kept - 1].weight > gmon->most)
			gmon->most = hits[kept - 1].weight;
	}
	gmon->hits.count = kept;
}

/* ---- writing ---- */

/* Numbers have this machine's byte order and size. */
static void put(struct gmon *gmon, const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, gmon->out);
}

static void put_u8(struct gmon *gmon, uint8_t value)
{
	put(gmon, &value, sizeof(value));
}

static void put_u32(struct gmon *gmon, uint32_t value)
{
	put(gmon, &value, sizeof(value));
}

static void put_u64(struct gmon *gmon, uint64_t value)
{
	put(gmon, &value, sizeof(value));
}

/* "seconds", or the name of a unit of 1e9: "Gcycles". */
static void put_dimension(struct gmon *gmon)
{
	const struct export_data *data = gmon->data;
	bool is_time = account_is_time(data->profile, data->event);
	char name[DIMENSION_BYTES + 1] = "seconds";

	if (!is_time) {
		memset(name, 0, sizeof(name));
		snprintf(name, sizeof(name), "G%s", export_event(data, data->event));
	}
	put(gmon, name, DIMENSION_BYTES);
	put_u8(gmon, is_time ? 's' : 'G');
}

static uint16_t ticks_of(struct gmon *gmon, uint64_t weight)
{
	double ticks = (double)weight * gmon->rate / PER_UNIT + gmon->owed;
	uint16_t whole = ticks > UINT16_MAX ? UINT16_MAX : (uint16_t)ticks;

	gmon->owed = ticks - whole;
	return whole;
}

/* Writes hits from @first to before @end, which lie close together. */
static void put_histogram(struct gmon *gmon, size_t first, size_t end)
{
	const struct hit *hits = gmon->hits.items;
	uint64_t low = hits[first].address, high = hits[end - 1].address + BIN_BYTES;
	uint64_t address = low;

	put_u8(gmon, TAG_HISTOGRAM);
	put_u64(gmon, low);
	put_u64(gmon, high);
	put_u32(gmon, (uint32_t)((high - low) / BIN_BYTES));
	put_u32(gmon, gmon->rate);
	put_dimension(gmon);
	for (size_t i = first; address < high; address += BIN_BYTES) {
		uint16_t ticks = 0;

		if (hits[i].address == address)
			ticks = ticks_of(gmon, hits[i++].weight);
		put(gmon, &ticks, sizeof(ticks));
	}
}

static void put_histograms(struct gmon *gmon)
{
	size_t first = 0;

	for (size_t i = 1; i <= gmon->hits.count; i++) {
		if (i < gmon->hits.count &&
		    gmon->hits.items[i].address - gmon->hits.items[i - 1].address <= GAP_BYTES)
			continue;
		put_histogram(gmon, first, i);
		first = i;
	}
}

static void put_all(struct gmon *gmon)
{
	static const char spare[12] = "";
	double fits = gmon->most ? UINT16_MAX * PER_UNIT / (double)gmon->most / 2 : MOST_RATE;

	for (gmon->rate = MOST_RATE; gmon->rate > 1 && gmon->rate > fits;)
		gmon->rate /= 10;
	put(gmon, "gmon", 4);
	put_u32(gmon, GMON_VERSION);
	put(gmon, spare, sizeof(spare));
	put_histograms(gmon);
}

static int gmon_write(const struct export_data *data, FILE *out, struct export_note *note,
		      struct err *err)
{
	const struct profile *profile = data->profile;
	struct gmon gmon = { .data = data, .out = out };
	const char *path = profile_text(profile, profile->images.items[data->image].path);

	if (!data->image)
		return err_set(err, -ENODATA,
			       "gmon.out needs an executable with samples: nothing to write");
	for (size_t i = 0; i < data->count; i++)
		take_row(&gmon, &data->rows[i]);
	add_up_hits(&gmon);
	put_all(&gmon);
	snprintf(
		note->text, sizeof(note->text),
		"gmon.out holds one executable, without calls: wrote %.300s, with %.1f %% of %.60s",
		path, 100 * (double)gmon.in_image / (double)data->sums[data->event].weight,
		export_event(data, data->event));
	vec_free(&gmon.hits);
	return 0;
}

const struct export_format export_gmon = {
	.name = "gmon",
	.help = "a gmon.out for gprof, of one executable",
	.binary = true,
	.one_event = true,
	.write = gmon_write,
};
