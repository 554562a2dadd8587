/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells systemd how a service does: sd_notify(3), a datagram to the socket of $NOTIFY_SOCKET. */
#ifndef HISTORY_NOTIFY_H
#define HISTORY_NOTIFY_H

/* @what: as "READY=1". Does nothing where no one asks for it. */
void notify(const char *what);

#endif
