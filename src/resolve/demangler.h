/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names as people write them: C++ and Rust, by libiberty, each worked out once. */
#ifndef RESOLVE_DEMANGLER_H
#define RESOLVE_DEMANGLER_H

struct demangler;

struct demangler *demangler_new(void);
void demangler_free(struct demangler *demangler); /* NULL is fine */

/* The readable form of a symbol's name: parameters included, Rust's hash left out, "@plt" kept,
 * both sides of a bracket "a->b". What is not mangled, cannot be read or would be too long comes
 * back as it is. Borrowed from the demangler, or @name itself. */
const char *demangler_text(struct demangler *demangler, const char *name);

#endif
