/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Subcommands of perf(1) that prospect does not have. Someone who types one of them as the first
 * word means perf's, not a program of that name: "prospect stat" must not profile /usr/bin/stat.
 */
#ifndef CMD_PERF_VERBS_H
#define CMD_PERF_VERBS_H

/* What to use for perf's subcommand @word: a command line of ours, or a sentence. NULL: perf has no
 * such subcommand, or prospect has one of that name. */
const char *perf_verb_equivalent(const char *word);

#endif
