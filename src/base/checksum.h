/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CRC-32 (ISO 3309), as in .gnu_debuglink and in our caches. */
#ifndef BASE_CHECKSUM_H
#define BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Continues @checksum (0: nothing yet) with @size more bytes. */
uint32_t checksum_add(uint32_t checksum, const void *bytes, size_t size);
/* The checksum of a whole file. Negative errno if it cannot be read. */
int checksum_file(int fd, uint32_t *ret_checksum);

#endif
