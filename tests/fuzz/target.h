/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every fuzz_NAME.c defines and libFuzzer, or run_corpus.c, calls. */
#ifndef TESTS_FUZZ_TARGET_H
#define TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* Whatever the bytes are: no crash, no leak, no endless loop. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#endif
