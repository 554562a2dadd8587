/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes the place of libbpf's header: a field is where this machine's compiler has it. */
#ifndef TESTS_BPF_BPF_CORE_READ_H
#define TESTS_BPF_BPF_CORE_READ_H

#include <stddef.h>

#define BPF_CORE_READ(from, field)	    ((from)->field)
#define BPF_CORE_READ_BITFIELD(from, field) ((from)->field)
#define bpf_core_field_offset(of, field)    offsetof(of, field)

#endif
