/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other side of foreign/foreign.h: the process that touches files which may never answer. It
 * does what it is asked, one thing after the other, and may hang in any of it; whoever asked has
 * given it up by then. It keeps nothing from one question to the next and holds nothing that
 * anybody waits for.
 */
#ifndef FOREIGN_SERVE_H
#define FOREIGN_SERVE_H

/* The descriptor that the socket is at. */
enum { SERVE_SOCKET = 3 };
/* The one argument that we are started with. */
#define SERVE_OPTION "--internal-reader"

/* Answers questions from the socket until nobody asks any more. */
void serve_run(int socket);

#endif
