/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ELF files within files of another format: a library that is stored uncompressed in a zip file, as
 * Android's packages have them, is mapped from there. It lies at a whole page of its container.
 */
#ifndef PLACE_FILES_EMBEDDED_FILE_H
#define PLACE_FILES_EMBEDDED_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "place/files/file_identity.h"

/* Where the ELF file begins that has a loaded segment at @offset of the container. If several have
 * one, the nearest counts. False: there is none, or its header is more than 256 MiB away. */
bool embedded_file_find(int fd, uint64_t offset, uint64_t *ret_base);

/* Copies the ELF file at @base of the container into memory, so that it can be read like any other
 * file. The copy has the container's owner and write permissions. @identity is that of the
 * container; it gets the build id of the copy. Returns a descriptor, which the caller owns, or a
 * negative errno: -ENOEXEC if there is no ELF file, -EFBIG above 1 GiB. */
int embedded_file_copy(int fd, uint64_t base, struct file_identity *identity);

/* What the file is called: "CONTAINER!0x1000". The caller frees it. */
char *embedded_file_name(const char *container, uint64_t base);
/* The inverse. *ret_container is the caller's. False: @name is no such name. */
bool embedded_file_parse(const char *name, char **ret_container, uint64_t *ret_base);

#endif
