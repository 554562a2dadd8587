/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reader process of foreign/foreign.h, which touches files that may never answer. It handles
 * one question after the other and may hang in any of them; then the other side has already given
 * up on it. It keeps no state between questions, and holds nothing that another process waits for.
 */
#ifndef FOREIGN_SERVE_H
#define FOREIGN_SERVE_H

/* The descriptor of the socket. */
enum { SERVE_SOCKET = 3 };
/* The only argument of the reader process. */
#define SERVE_OPTION "--internal-reader"

/* Answers questions from the socket until the other side closes it. */
void serve_run(int socket);

#endif
