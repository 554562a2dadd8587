/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/salvage/salvage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/compare.h"
#include "base/xalloc.h"
#include "store/file_format.h"
#include "store/schema.h"
#include "store/sql.h"

/* The shape of a table's rows: a letter for each column (enum raw_type), or one of these, which
 * accept several types. */
enum { ANY = 'a', NUMBER = 'f' };

struct shape {
	const char *table;
	const char *letters;
	const char *columns; /* NULL: blocks are only listed */
	bool ids;	     /* the first column is the row's id */
	bool unmistakable;   /* no other table has rows of this shape */
};

static const struct shape shapes[] = {
	{ "event", "ntttfiiiii",
	  "id,name,unit,clock,rate_hz,period,samples,user_samples,kernel_samples,weight", true,
	  true },
	{ "image", "ntttbiiii", "id,kind,state,path,build_id,dev,inode,size,mtime_ns", true, true },
	{ "process", "niiiiiitiiiii",
	  "id,pid,exec_count,start_ns,end_ns,parent,uid,program,instance,cgroup,container,"
	  "kernel_thread,in_command",
	  true, true },
	{ "executable", "ni", "id,exe", true, true },
	{ "task", "niit", "id,process,tid,comm", true, true },
	{ "symbol", "nitiii", "id,image,name,start,size,kind", true, true },
	{ "frame", "niiiiii", "id,image,offset,address,address_known,kind,symbol", true, true },
	{ "layer", "nii", "id,samples,last_block", true, false },
	{ "stack", "nii", "id,up,frame", true, true },
	{ "code", "niiiiib", "id,image,start,address,machine,is_64,bytes", true, true },
	{ "line", "niiiii", "id,image,start,size,file,line", true, true },
	{ "mark", "nit", "id,time_ns,text", true, true },
	{ "cpu_time", "niiiiiii", "id,from_ns,to_ns,capacity_ns,idle_ns,iowait_ns,steal_ns,lost_ns",
	  true, true },
	{ "text", "nt", "id,text", true, true },
	{ "block", "nib", NULL, true, true },
	{ "header", "ta", "name,value", false, true },
	{ "word", "tit", "list,id,name", false, true },
	{ "loss", "itii", "event,reason,count,weight", false, true },
	/* Rows of table second have the same shape. */
	{ "branch", "iiiiii", "event,from_frame,to_frame,count,mispredicted,cycles", false, false },
	{ "checksum", "tiii", "name,part,rows,crc", false, true },
};

enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

static const struct shape schema_shape = { "sqlite_schema", "tttaa", NULL, true, true };

/* Collects the rows of one shape. */
struct harvest {
	struct salvage *salvage;
	const struct shape *shape;
	sqlite3_stmt *insert, *note; /* owned; NULL until there is a row */
	uint32_t *roots;	     /* by shape: root pages from the schema */
	bool lost;
	VEC(uint32_t) ways; /* pages to visit */
};

static void harvest_done(struct harvest *harvest)
{
	sqlite3_finalize(harvest->insert);
	sqlite3_finalize(harvest->note);
	vec_free(&harvest->ways);
}

/* ---- shapes ---- */

static bool fits_letter(char letter, char type)
{
	if (letter == ANY)
		return true;
	if (letter == NUMBER)
		return type == RAW_INTEGER || type == RAW_REAL;
	return letter == type;
}

static bool fits_row(const struct shape *shape, const struct raw_cell *cell)
{
	char types[RAW_MAX_COLUMNS + 1];

	raw_row_types(cell->local, types);
	if (strlen(types) != strlen(shape->letters))
		return false;
	for (size_t i = 0; types[i]; i++) {
		if (!fits_letter(shape->letters[i], types[i]))
			return false;
	}
	return true;
}

static bool has_rows(const struct raw_page *page)
{
	return raw_page_is_leaf(page) || !raw_page_is_table(page);
}

/* True if every row of the page has this shape. */
static bool fits_page(const struct shape *shape, const struct raw_page *page)
{
	struct raw_cell cell;
	bool ids = shape->ids || shape == &schema_shape;

	if (raw_page_is_table(page) != ids)
		return false;
	for (unsigned i = 0; has_rows(page) && i < page->cells; i++) {
		if (!raw_page_cell(page, i, &cell) || !fits_row(shape, &cell))
			return false;
	}
	return true;
}

/* ---- rows ---- */

static void bind_value(sqlite3_stmt *stmt, int at, const struct raw_value *value)
{
	switch (value->type) {
	case RAW_INTEGER:
		sqlite3_bind_int64(stmt, at, value->integer);
		break;
	case RAW_REAL:
		sqlite3_bind_double(stmt, at, value->real);
		break;
	case RAW_TEXT:
		sqlite3_bind_text(stmt, at, value->bytes, (int)value->size, SQLITE_STATIC);
		break;
	case RAW_BLOB:
		sqlite3_bind_blob(stmt, at, value->bytes, (int)value->size, SQLITE_STATIC);
		break;
	default:
		sqlite3_bind_null(stmt, at);
	}
}

static int prepare(struct harvest *harvest)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	size_t columns = strlen(harvest->shape->letters);
	int rc;

	if (harvest->insert)
		return 0;
	buf_printf(&text, "INSERT OR IGNORE INTO main.%s(%s) VALUES(?", harvest->shape->table,
		   harvest->shape->columns);
	for (size_t i = 1; i < columns; i++)
		buf_add_str(&text, ", ?");
	buf_add_char(&text, ')');
	rc = sql_prepare(harvest->salvage->db, buf_text(&text), &harvest->insert);
	return rc ? rc
		  : sql_prepare(harvest->salvage->db,
				"INSERT OR IGNORE INTO temp.lost(name, id) VALUES(?1, ?2)",
				&harvest->note);
}

/* Inserts a row. The table ignores a second row of the same key, and one with a column of a wrong
 * type. */
static int insert_row(struct harvest *harvest, const struct raw_cell *cell,
		      const struct raw_value *values, int count)
{
	sqlite3 *db = harvest->salvage->db;
	int rc = prepare(harvest);

	if (rc)
		return rc;
	for (int i = 0; i < count; i++)
		bind_value(harvest->insert, i + 1, &values[i]);
	if (harvest->shape->ids)
		sqlite3_bind_int64(harvest->insert, 1, cell->id);
	rc = sql_run(harvest->insert);
	if (rc || !harvest->lost || !harvest->shape->ids || !sqlite3_changes(db))
		return rc == -ENOMEM ? rc : 0;
	sql_bind_text(harvest->note, 1, harvest->shape->table);
	sqlite3_bind_int64(harvest->note, 2, cell->id);
	return sql_run(harvest->note);
}

static void list_block(struct harvest *harvest, const struct raw_page *page, unsigned number,
		       const struct raw_cell *cell)
{
	struct salvage_block block = { .id = (uint64_t)cell->id,
				       .page = page->number,
				       .cell = number,
				       .lost = harvest->lost };

	if (cell->id > 0)
		*vec_push(&harvest->salvage->blocks) = block;
}

static bool is_text(const struct raw_value *value, const char *text)
{
	return value->type == RAW_TEXT && value->size == strlen(text) &&
	       memcmp(value->bytes, text, value->size) == 0;
}

/* Notes the root page from a row of the schema: type, name, table, root page, text. */
static void note_root(struct harvest *harvest, const struct raw_value *values)
{
	for (size_t i = 0; i < SHAPES; i++) {
		if (is_text(&values[0], "table") && is_text(&values[1], shapes[i].table) &&
		    values[3].type == RAW_INTEGER && values[3].integer > 0 &&
		    values[3].integer <= UINT32_MAX && !harvest->roots[i])
			harvest->roots[i] = (uint32_t)values[3].integer;
	}
}

static int take_row(struct harvest *harvest, const struct raw_page *page, unsigned number)
{
	struct salvage *salvage = harvest->salvage;
	struct raw_value values[RAW_MAX_COLUMNS];
	struct raw_cell cell;
	int count;

	raw_page_cell(page, number, &cell);
	if (!harvest->shape->columns && harvest->shape != &schema_shape) {
		list_block(harvest, page, number, &cell);
		return 0;
	}
	if (!raw_cell_row(&salvage->pages, &cell, &salvage->row))
		return 0;
	count = raw_row_values(reader_make(salvage->row.bytes, salvage->row.size), values);
	if (count != (int)strlen(harvest->shape->letters))
		return 0;
	if (harvest->shape != &schema_shape)
		return insert_row(harvest, &cell, values, count);
	note_root(harvest, values);
	return 0;
}

/* ---- pages ---- */

static void add_ways(struct harvest *harvest, const struct raw_page *page)
{
	struct raw_cell cell;

	if (raw_page_is_leaf(page))
		return;
	for (unsigned i = 0; i < page->cells; i++) {
		if (raw_page_cell(page, i, &cell))
			*vec_push(&harvest->ways) = cell.child;
	}
	*vec_push(&harvest->ways) = raw_page_last_child(page);
}

/* Leaves pages of another table alone. */
static int take_page(struct harvest *harvest, const struct raw_page *page)
{
	int rc = 0;

	if (!fits_page(harvest->shape, page))
		return 0;
	harvest->salvage->taken[page->number] = 1;
	for (unsigned i = 0; !rc && has_rows(page) && i < page->cells; i++)
		rc = take_row(harvest, page, i);
	return rc;
}

/* Visits every page once, even if they form a cycle. */
static int follow(struct harvest *harvest, uint32_t root)
{
	struct salvage *salvage = harvest->salvage;
	int rc = 0;

	*vec_push(&harvest->ways) = root;
	while (!rc && harvest->ways.count) {
		uint32_t number = harvest->ways.items[--harvest->ways.count];
		struct raw_page page;

		if (!number || number > salvage->pages.count || salvage->taken[number] ||
		    !raw_page_read(&salvage->pages, number, salvage->page, &page))
			continue;
		rc = take_page(harvest, &page);
		if (!rc && salvage->taken[number])
			add_ways(harvest, &page);
	}
	return rc;
}

static uint32_t number_at(const uint8_t *bytes, size_t at)
{
	struct reader reader = reader_make(bytes + at, sizeof(uint32_t));

	return (uint32_t)format_big_endian(&reader, sizeof(uint32_t));
}

enum { AT_FREE_LIST = 32 };

/* Skips free pages: they have obsolete rows. */
static void pass_over_free(struct salvage *salvage)
{
	size_t most = salvage->pages.usable_bytes / sizeof(uint32_t) - 2;
	uint32_t trunk;

	if (!raw_pages_read(&salvage->pages, 1, salvage->page) ||
	    memcmp(salvage->page, "SQLite format 3", 16) != 0)
		return;
	trunk = number_at(salvage->page, AT_FREE_LIST);
	while (trunk && trunk <= salvage->pages.count && !salvage->taken[trunk] &&
	       raw_pages_read(&salvage->pages, trunk, salvage->page)) {
		uint32_t count = number_at(salvage->page, sizeof(uint32_t));

		salvage->taken[trunk] = 1;
		for (size_t i = 0; i < count && i < most; i++) {
			uint32_t leaf = number_at(salvage->page, (i + 2) * sizeof(uint32_t));

			if (leaf && leaf <= salvage->pages.count)
				salvage->taken[leaf] = 1;
		}
		trunk = number_at(salvage->page, 0);
	}
}

/* ---- tables ---- */

/* A page that no other page leads to goes to the first table whose rows have its shape. */
static int gather_page(struct salvage *salvage, const struct raw_page *page,
		       struct harvest *harvests, size_t count)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < count && !salvage->taken[page->number]; i++) {
		harvests[i].lost = true;
		if (harvests[i].shape->unmistakable)
			rc = take_page(&harvests[i], page);
	}
	return rc;
}

static int gather(struct salvage *salvage, struct harvest *harvests, size_t count)
{
	int rc = 0;

	for (uint32_t number = 1; !rc && number <= salvage->pages.count; number++) {
		struct raw_page page;

		if (!salvage->taken[number] &&
		    raw_page_read(&salvage->pages, number, salvage->page, &page) &&
		    has_rows(&page) && page.cells)
			rc = gather_page(salvage, &page, harvests, count);
	}
	return rc;
}

static int harvest_schema(struct salvage *salvage, uint32_t roots[SHAPES])
{
	_cleanup_(harvest_done) struct harvest harvest = { .salvage = salvage,
							   .shape = &schema_shape };
	int rc;

	harvest.roots = roots;
	rc = follow(&harvest, 1);
	return rc ? rc : gather(salvage, &harvest, 1);
}

static int harvest_table(struct salvage *salvage, const struct shape *shape, uint32_t root)
{
	_cleanup_(harvest_done) struct harvest harvest = { .salvage = salvage, .shape = shape };

	return root ? follow(&harvest, root) : 0;
}

static int harvest_lost(struct salvage *salvage)
{
	struct harvest harvests[SHAPES] = { 0 };
	int rc;

	for (size_t i = 0; i < SHAPES; i++)
		harvests[i] = (struct harvest){ .salvage = salvage, .shape = &shapes[i] };
	rc = gather(salvage, harvests, SHAPES);
	for (size_t i = 0; i < SHAPES; i++)
		harvest_done(&harvests[i]);
	return rc;
}

static int harvest_all(struct salvage *salvage)
{
	uint32_t roots[SHAPES] = { 0 };
	int rc = harvest_schema(salvage, roots);

	for (size_t i = 0; !rc && i < SHAPES; i++)
		rc = harvest_table(salvage, &shapes[i], roots[i]);
	pass_over_free(salvage);
	return rc ? rc : harvest_lost(salvage);
}

DEFINE_ORDER(compare_blocks, struct salvage_block,
	     COMPARE(a->id, b->id) ?: COMPARE(a->lost, b->lost))

static void sort_blocks(struct salvage *salvage)
{
	struct salvage_block *items = salvage->blocks.items;
	size_t kept = 0;

	if (salvage->blocks.count)
		qsort(items, salvage->blocks.count, sizeof(*items), compare_blocks);
	for (size_t i = 0; i < salvage->blocks.count; i++) {
		if (!kept || items[kept - 1].id != items[i].id)
			items[kept++] = items[i];
	}
	salvage->blocks.count = kept;
}

static int make_tables(struct salvage *salvage)
{
	int code = sqlite3_open_v2(":memory:", &salvage->db,
				   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY |
					   SQLITE_OPEN_NOMUTEX,
				   NULL);
	int rc = sql_errno(salvage->db, code);

	if (!rc)
		rc = schema_create(salvage->db);
	if (!rc)
		rc = sql_exec(
			salvage->db,
			"DELETE FROM word; DELETE FROM checksum; CREATE TEMP TABLE lost(name, "
			"id, PRIMARY KEY(name, id)) WITHOUT ROWID; BEGIN");
	return rc;
}

/* Without an event or a block there is nothing of a profile. */
static int check_found(const struct salvage *salvage, const char *name, struct err *err)
{
	uint64_t one;
	int rc = sql_number(salvage->db, "SELECT 1 FROM event", &one);

	if (rc < 0)
		return err_set(err, rc, "cannot read %s: %s", name, strerror(-rc));
	if (!rc && !salvage->blocks.count)
		return err_set(err, -ENODATA, "no part of a prospect profile could be read from %s",
			       name);
	return 0;
}

int salvage_open(struct salvage *salvage, int fd, int journal, const char *name, struct err *err)
{
	int rc;

	*salvage = (struct salvage){ .db = NULL };
	rc = raw_pages_open(&salvage->pages, fd, journal, name, err);
	if (rc)
		return rc;
	salvage->taken = xcalloc((size_t)salvage->pages.count + 1, 1);
	salvage->page = xmalloc(salvage->pages.page_bytes);
	rc = make_tables(salvage);
	if (!rc)
		rc = harvest_all(salvage);
	if (rc)
		return err_set(err, rc, "cannot read %s: %s", name, strerror(-rc));
	sort_blocks(salvage);
	return check_found(salvage, name, err);
}

void salvage_done(struct salvage *salvage)
{
	sqlite3_close(salvage->db);
	raw_pages_done(&salvage->pages);
	vec_free(&salvage->blocks);
	free(salvage->taken);
	free(salvage->page);
	buf_done(&salvage->row);
}

bool salvage_read_block(struct salvage *salvage, const struct salvage_block *block,
			uint64_t *ret_samples, struct raw_value *ret_data)
{
	struct raw_value values[RAW_MAX_COLUMNS];
	struct raw_cell cell;

	if (salvage->held.number != block->page &&
	    !raw_page_read(&salvage->pages, block->page, salvage->page, &salvage->held))
		return false;
	if (block->cell >= salvage->held.cells ||
	    !raw_page_cell(&salvage->held, block->cell, &cell) ||
	    !raw_cell_row(&salvage->pages, &cell, &salvage->row) ||
	    raw_row_values(reader_make(salvage->row.bytes, salvage->row.size), values) != 3 ||
	    values[1].type != RAW_INTEGER || values[2].type != RAW_BLOB)
		return false;
	*ret_samples = (uint64_t)values[1].integer;
	*ret_data = values[2];
	return true;
}
