/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one error idiom: functions return 0 (or a count) or a negative errno, and the last parameter
 * gets a reason that a person can act on. Only cmd/ prints it.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

struct err {
	char text[512]; /* one line without newline: what failed, why, what to do */
};

/* Writes the reason (truncated to fit) and returns @rc, for use as `return err_set(...)`. The
 * reason may contain untrusted names: characters that control a terminal or end the line, and bytes
 * that are not UTF-8, become \xNN.
 * @err may be NULL: then only the code is returned. */
int err_set(struct err *err, int rc, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Puts "@format: " before the reason already there and returns @rc. */
int err_prefix(struct err *err, int rc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
