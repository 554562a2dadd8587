/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ids of containers by name, from the files of docker, podman, nerdctl and CRI: control groups
 * have ids only.
 */
#ifndef PROC_CONTAINER_NAMES_H
#define PROC_CONTAINER_NAMES_H

#include "base/err.h"
#include "model/who.h"

/* @root comes before all paths ("" but in tests), @home is the user's home folder for podman without
 * root. Writes the ids of the words that are names of containers (who_word.id). Returns the number
 * of files and folders of engines that could not be read; @err then says which was the last, and
 * that ids can be used. Names that no engine knows stay: they may be ids, or names of lxc. */
int container_names_find(struct who *who, const char *root, const char *home, struct err *err);

#endif
