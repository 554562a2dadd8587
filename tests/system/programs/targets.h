/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TARGETS_H
#define TARGETS_H

int other_twin(int x);

#endif
