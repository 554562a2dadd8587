/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/files/offered_files.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int take_out(struct offered_files *offers, size_t index)
{
	struct offered_file *items = offers->list.items;
	int fd = items[index].fd;

	offers->list.count--;
	memmove(items + index, items + index + 1, (offers->list.count - index) * sizeof(*items));
	return fd;
}

void offered_files_add(struct offered_files *offers, int fd, uint64_t round)
{
	_cleanup_close_ int offered = fd;
	struct stat st;

	if (fstat(offered, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	for (size_t i = 0; i < offers->list.count; i++) {
		struct offered_file *old = &offers->list.items[i];

		if (old->dev != st.st_dev || old->inode != st.st_ino)
			continue;
		old->round = round;
		return;
	}
	if (offers->list.count >= offers->most)
		close(take_out(offers, 0));
	*vec_push(&offers->list) = (struct offered_file){
		.fd = steal_fd(offered), .dev = st.st_dev, .inode = st.st_ino, .round = round
	};
}

int offered_files_take(struct offered_files *offers, const struct mapped_file *mapped,
		       struct file_identity *ret_identity)
{
	for (size_t i = offers->list.count; i-- > 0;) {
		const struct offered_file *offer = &offers->list.items[i];
		struct file_identity identity;

		/* reading the build id of each would be slow */
		if (mapped->inode && mapped->inode != offer->inode)
			continue;
		if (file_identity_read(offer->fd, NULL, &identity) < 0 ||
		    !file_identity_proves(&identity, offer->fd, mapped))
			continue;
		*ret_identity = identity;
		return take_out(offers, i);
	}
	return -1;
}

void offered_files_forget(struct offered_files *offers, uint64_t round)
{
	for (size_t i = offers->list.count; i-- > 0;) {
		if (offers->list.items[i].round < round)
			close(take_out(offers, i));
	}
}

void offered_files_done(struct offered_files *offers)
{
	offered_files_forget(offers, UINT64_MAX);
	vec_free(&offers->list);
}
