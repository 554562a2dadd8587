/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CRC-32 (ISO 3309), as .gnu_debuglink and our caches have it. */
#ifndef BASE_CHECKSUM_H
#define BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Of bytes that go on where those of @checksum (0: nothing yet) ended. */
uint32_t checksum_add(uint32_t checksum, const void *bytes, size_t size);
/* Of a whole file. Negative errno when it cannot be read. */
int checksum_file(int fd, uint32_t *ret_checksum);

#endif
