/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text/text_parts.h"

#include "aggregate/account/off_cpu_account.h"
#include "present/columns.h"
#include "present/figures.h"
#include "present/paragraph.h"

enum { NAME_CAP = 32 };

/* ---- the account ---- */

static void add_part(const struct off_cpu_account *account, struct columns *columns, uint64_t ns,
		     const char *what, const char *indent)
{
	if (!ns)
		return;
	columns_printf(columns, "%.2f", figures_percent(ns, account->whole_ns));
	columns_weight(columns, ns, true);
	columns_printf(columns, "%s%s", indent, what);
}

static void add_sum(const struct off_cpu_account *account, struct columns *columns)
{
	columns_rule(columns);
	columns_printf(columns, "%.2f", figures_percent(account->whole_ns, account->whole_ns));
	columns_weight(columns, account->whole_ns, true);
	columns_add(columns, "all threads, for as long as they existed");
}

static void print_parts(const struct view *view, FILE *out)
{
	static const struct column spec[] = { { "%", true, 0 },
					      { "Time", true, 0 },
					      { "Threads were", false, 0 } };
	const struct off_cpu_account *account = view->off_cpu;
	_cleanup_(columns_freep) struct columns *columns =
		columns_for(&view->screen, spec, sizeof(spec) / sizeof(spec[0]));
	uint64_t blocked_ns = account->whole_ns - account->parts_ns[WAIT_RUNNING] -
			      account->parts_ns[WAIT_RUNNABLE];

	add_part(account, columns, account->parts_ns[WAIT_RUNNING], wait_text(WAIT_RUNNING), "");
	add_part(account, columns, account->user_ns, "in user mode", "  ");
	add_part(account, columns, account->kernel_ns, "in the kernel", "  ");
	add_part(account, columns, account->parts_ns[WAIT_RUNNABLE], wait_text(WAIT_RUNNABLE), "");
	add_part(account, columns, blocked_ns, "waiting for", "");
	for (int i = WAIT_BLOCKED + 1; i < WAIT_COUNT; i++)
		add_part(account, columns, account->parts_ns[i], wait_text((enum wait)i), "  ");
	add_part(account, columns, account->parts_ns[WAIT_BLOCKED], wait_text(WAIT_BLOCKED), "  ");
	add_sum(account, columns);
	columns_print(columns, 0, out);
}

/* ---- the waits ---- */

static void add_function(const struct view *view, struct columns *columns, uint32_t symbol)
{
	struct buf *cell = columns_cell(columns);

	if (symbol)
		labels_routine(view->labels, symbol, cell);
	columns_end_cell(columns);
}

static void add_place(const struct view *view, struct columns *columns,
		      const struct wait_place *place)
{
	columns_weight(columns, place->weight, true);
	columns_add(columns, wait_name(place->wait));
	add_function(view, columns, place->kernel);
	add_function(view, columns, place->user);
	add_function(view, columns, place->caller);
	columns_add(columns,
		    place->waker ? profile_text(view->labels->profile, place->waker) : "-");
}

static void print_places(const struct view *view, size_t rows, FILE *out)
{
	static const struct column spec[] = { { "Time", true, 0 },
					      { "for", false, 0 },
					      { "in the kernel", false, NAME_CAP },
					      { "asked by", false, NAME_CAP },
					      { "called by", false, NAME_CAP },
					      { "woken by", false, NAME_CAP } };
	const struct off_cpu_account *account = view->off_cpu;
	_cleanup_(columns_freep) struct columns *columns =
		columns_for(&view->screen, spec, sizeof(spec) / sizeof(spec[0]));
	_cleanup_(buf_done) struct buf text = { 0 };

	for (size_t i = 0; i < account->places.count && i < rows; i++)
		add_place(view, columns, &account->places.items[i]);
	fputc('\n', out);
	columns_print(columns, 0, out);
	if (account->places.count <= rows)
		return;
	buf_printf(&text,
		   "Waits not listed: %zu; --by wait,waker,stack --select event=off-cpu shows "
		   "them all",
		   account->places.count - rows);
	paragraph_text(buf_text(&text), &view->screen, out);
}

void text_off_cpu_print(const struct view *view, size_t rows, FILE *out)
{
	const struct off_cpu_account *account = view->off_cpu;

	if (!account || !account->known)
		return;
	fprintf(out, "\nWhere %s waited (%zu %s)\n",
		account->of_command ? scope_subject(view->labels->profile) : "threads",
		account->threads, account->threads == 1 ? "thread" : "threads");
	print_parts(view, out);
	if (account->places.count)
		print_places(view, rows, out);
}
