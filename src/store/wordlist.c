/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/wordlist.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "model/words.h"
#include "store/checksums.h"
#include "store/sql.h"

/* list, the word in function names, how many */
#define LISTS(X)                                       \
	X(MODE, mode, MODE_COUNT)                      \
	X(CONTEXT, context, CONTEXT_COUNT)             \
	X(FRAME_KIND, frame_kind, FRAME_KIND_COUNT)    \
	X(SYMBOL_KIND, symbol_kind, SYMBOL_KIND_COUNT) \
	X(IMAGE_KIND, image_kind, IMAGE_KIND_COUNT)    \
	X(IMAGE_STATE, image_state, IMAGE_STATE_COUNT) \
	X(CLOCK_KIND, clock_kind, CLOCK_KIND_COUNT)

#define DEFINE_TEXT(id, word, count)                                                \
	_Static_assert(count <= WORDLIST_MAX_NUMBER + 1, "a list outgrew its map"); \
	static const char *word##_word(unsigned value)                              \
	{                                                                           \
		return word##_name((enum word)value);                               \
	}
LISTS(DEFINE_TEXT)
#undef DEFINE_TEXT

static const struct {
	const char *name;
	const char *(*text)(unsigned value);
	unsigned count;
} lists[WORDLIST_COUNT] = {
#define LIST_ROW(id, word, count) [WORDLIST_##id] = { #word, word##_word, count },
	LISTS(LIST_ROW)
#undef LIST_ROW
};

const char *wordlist_text(enum wordlist list, unsigned value)
{
	return lists[list].text(value);
}

unsigned wordlist_value(enum wordlist list, const char *text)
{
	for (unsigned i = 0; i < lists[list].count; i++) {
		if (strcmp(lists[list].text(i), text) == 0)
			return i;
	}
	return WORDLIST_UNKNOWN;
}

int wordlist_insert(sqlite3 *db, const char *table, enum wordlist list)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	_cleanup_stmt_ sqlite3_stmt *stmt = NULL;
	int rc;

	buf_printf(&text, "INSERT INTO %s(list, id, name) VALUES(?1, ?2, ?3)", table);
	rc = sql_prepare(db, buf_text(&text), &stmt);
	for (unsigned i = 0; !rc && i < lists[list].count; i++) {
		sql_bind_text(stmt, 1, lists[list].name);
		sqlite3_bind_int(stmt, 2, (int)i);
		sql_bind_text(stmt, 3, lists[list].text(i));
		rc = sql_run(stmt);
	}
	return rc;
}

int wordlist_write(sqlite3 *db)
{
	int rc = 0;

	for (unsigned list = 0; !rc && list < WORDLIST_COUNT; list++)
		rc = wordlist_insert(db, "word", (enum wordlist)list);
	return rc ? rc : checksums_write_keys(db, "word");
}

static enum wordlist list_by_name(const char *name)
{
	unsigned list = 0;

	while (list < WORDLIST_COUNT && strcmp(lists[list].name, name) != 0)
		list++;
	return (enum wordlist)list;
}

static int read_word(void *context, const struct datum *values, struct err *why)
{
	struct wordlist_map *map = context;
	char list_name[DATUM_NAME_BYTES], text[DATUM_NAME_BYTES];
	enum wordlist list;
	uint64_t number;

	if (!datum_name(&values[0], list_name))
		return err_set(why, -EBADMSG, "invalid row in table word");
	list = list_by_name(list_name);
	if (list == WORDLIST_COUNT)
		return 0;
	if (!datum_at_most(&values[1], WORDLIST_MAX_NUMBER, &number) ||
	    !datum_name(&values[2], text))
		return err_set(why, -EBADMSG, "invalid row in table word");
	map->ours[list][number] = (uint8_t)wordlist_value(list, text);
	return 0;
}

static void forget(void *context)
{
	memset(context, WORDLIST_UNKNOWN, sizeof(struct wordlist_map));
}

int wordlist_read(const struct table_source *source, struct wordlist_map *ret_map, struct err *why)
{
	const struct table_visitor visitor = { ret_map, forget, read_word };

	forget(ret_map);
	return table_rows_each(source, "word", "list,id,name", &visitor, why);
}
