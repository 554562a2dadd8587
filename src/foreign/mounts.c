/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foreign/mounts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "foreign/live_task.h"

enum {
	MOUNTINFO_LIMIT = 64 << 20, /* the kernel allows 100,000 mounts by default */
	MOST_LAYERS = 512,	    /* of an overlay; the kernel has at most 500 */
};

struct mounts {
	int fd;	    /* of mountinfo, readable when mounts change; -1: a fixed text */
	char *own;  /* the file that we were started from; NULL: none */
	char *text; /* the lines, split into words */
	VEC(struct mount) list;
};

/* ---- local mounts ---- */

static const char *const local_types[] = {
	"apparmorfs", "bcachefs",  "binfmt_misc", "bpf",    "btrfs",	  "cgroup",    "cgroup2",
	"configfs",   "cramfs",	   "debugfs",	  "devpts", "devtmpfs",	  "efivarfs",  "erofs",
	"exfat",      "ext2",	   "ext3",	  "ext4",   "f2fs",	  "fusectl",   "hfs",
	"hfsplus",    "hugetlbfs", "iso9660",	  "jffs2",  "jfs",	  "minix",     "mqueue",
	"msdos",      "nilfs2",	   "nsfs",	  "ntfs3",  "proc",	  "pstore",    "ramfs",
	"reiserfs",   "resctrl",   "romfs",	  "rootfs", "securityfs", "selinuxfs", "squashfs",
	"sysfs",      "tmpfs",	   "tracefs",	  "ubifs",  "udf",	  "vfat",      "xfs",
	"zfs",
};

static bool is_local_type(const char *type)
{
	for (size_t i = 0; i < sizeof(local_types) / sizeof(local_types[0]); i++) {
		if (strcmp(type, local_types[i]) == 0)
			return true;
	}
	return false;
}

static bool is_below(const char *path, const char *point)
{
	size_t length = strlen(point);

	if (strcmp(point, "/") == 0)
		return true;
	return strncmp(path, point, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static const struct mount *obstacle(const struct mounts *mounts, const char *path)
{
	static const struct mount unknown = { .point = "", .type = "", .options = "" };
	const struct mount *found = NULL;
	bool covered = false;

	for (size_t i = 0; i < mounts->list.count; i++) {
		const struct mount *mount = &mounts->list.items[i];

		if (!is_below(path, mount->point))
			continue;
		covered = true;
		if (!mount->local && (!found || strlen(mount->point) < strlen(found->point)))
			found = mount;
	}
	return found || covered ? found : &unknown;
}

/* Reads one folder of an option such as lowerdir, where colons separate and backslashes escape.
 * Returns the rest. */
static const char *next_layer(const char *at, char path[PATH_MAX])
{
	size_t length = 0;

	for (; *at && *at != ':'; at++) {
		if (*at == '\\' && at[1])
			at++;
		if (length < PATH_MAX - 1)
			path[length++] = *at;
	}
	path[length] = '\0';
	return *at ? at + 1 : at;
}

static bool layers_are_local(const struct mounts *mounts, const char *value)
{
	char path[PATH_MAX];

	for (size_t i = 0; *value; i++) {
		value = next_layer(value, path);
		/* "lower::data" has empty parts */
		if (path[0] && (path[0] != '/' || i >= MOST_LAYERS || obstacle(mounts, path)))
			return false;
	}
	return true;
}

/* Layers have the names that the mounting process saw. In another mount namespace such a name may
 * mean another file here; then that file's mount decides, which is the best available answer. */
static bool is_local_overlay(const struct mounts *mounts, const struct mount *mount)
{
	static const char *const options[] = { "lowerdir=", "lowerdir+=", "datadir+=",
					       "upperdir=" };
	_cleanup_free_ char *copy = xstrdup(mount->options);
	bool seen = false;
	char *rest = copy, *option;

	while ((option = strsep(&rest, ","))) {
		for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
			size_t length = strlen(options[i]);

			if (strncmp(option, options[i], length) != 0)
				continue;
			seen = true;
			if (!layers_are_local(mounts, option + length))
				return false;
		}
	}
	return seen;
}

/* The mount of our own file: the longest mount point, and the last of equal ones. */
static struct mount *own_mount(const struct mounts *mounts)
{
	struct mount *found = NULL;

	for (size_t i = 0; mounts->own && i < mounts->list.count; i++) {
		struct mount *mount = &mounts->list.items[i];

		if (is_below(mounts->own, mount->point) &&
		    (!found || strlen(mount->point) >= strlen(found->point)))
			found = mount;
	}
	return found;
}

/* An overlay may have layers on other overlays, so repeats until nothing changes. */
static void judge(struct mounts *mounts)
{
	struct mount *own = own_mount(mounts);
	bool changed = true;

	if (own && strcmp(own->type, "overlay") == 0)
		own->local = true;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < mounts->list.count; i++) {
			struct mount *mount = &mounts->list.items[i];

			if (mount->local || strcmp(mount->type, "overlay") != 0)
				continue;
			mount->local = is_local_overlay(mounts, mount);
			changed |= mount->local;
		}
	}
}

/* ---- mountinfo ---- */

/* Spaces, tabs, newlines and backslashes are written as a backslash and three octal digits. */
static void resolve_escapes(char *word)
{
	char *to = word;

	for (const char *at = word; *at; to++) {
		if (at[0] == '\\' && at[1] >= '0' && at[1] <= '3' && at[2] >= '0' && at[2] <= '7' &&
		    at[3] >= '0' && at[3] <= '7') {
			*to = (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));
			at += 4;
		} else {
			*to = *at++;
		}
	}
	*to = '\0';
}

/* "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue". There may be
 * any number of fields between the mount options and the hyphen. */
static bool parse_line(char *line, struct mount *mount)
{
	char *field[6], *word;
	unsigned major, minor;

	for (size_t i = 0; i < 6; i++) {
		field[i] = strsep(&line, " ");
		if (!field[i])
			return false;
	}
	if (sscanf(field[0], "%" SCNu32, &mount->id) != 1 ||
	    sscanf(field[2], "%u:%u", &major, &minor) != 2)
		return false;
	while ((word = strsep(&line, " ")) && strcmp(word, "-") != 0)
		;
	mount->type = strsep(&line, " ");
	(void)strsep(&line, " ");
	mount->options = line;
	if (!mount->type || !mount->options)
		return false;
	resolve_escapes(field[4]);
	resolve_escapes(line);
	mount->point = field[4];
	mount->device = makedev(major, minor);
	mount->local = is_local_type(mount->type);
	return true;
}

/* A malformed line may describe a mount on any path; then no mount is known to be local. */
static void parse(struct mounts *mounts, char *text)
{
	char *rest = text, *line;
	struct mount mount;

	free(mounts->text);
	mounts->text = text;
	mounts->list.count = 0;
	while ((line = strsep(&rest, "\n"))) {
		if (*line == '\0')
			continue;
		if (!parse_line(line, &mount)) {
			mounts->list.count = 0;
			return;
		}
		*vec_push(&mounts->list) = mount;
	}
	judge(mounts);
}

struct mounts *mounts_parse(const char *text, const char *own)
{
	struct mounts *mounts = xcalloc(1, sizeof(*mounts));

	mounts->fd = -1;
	mounts->own = own ? xstrdup(own) : NULL;
	parse(mounts, xstrdup(text));
	return mounts;
}

static void read_again(struct mounts *mounts)
{
	_cleanup_(buf_done) struct buf text = { 0 };

	if (file_read("/proc/self/mountinfo", MOUNTINFO_LIMIT, &text) < 0)
		buf_clear(&text);
	parse(mounts, xstrdup(buf_text(&text)));
}

struct mounts *mounts_new(void)
{
	int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	char own[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
	struct mounts *mounts;

	if (fd < 0)
		return NULL;
	own[length > 0 ? length : 0] = '\0';
	mounts = xcalloc(1, sizeof(*mounts));
	mounts->fd = fd;
	mounts->own = own[0] == '/' ? xstrdup(own) : NULL;
	read_again(mounts);
	return mounts;
}

struct mounts *mounts_of(int32_t pid, const struct mounts *ours)
{
	_cleanup_(buf_done) struct buf text = { 0 };
	char path[64];
	struct mounts *mounts;

	snprintf(path, sizeof(path), "/proc/%d/mountinfo", live_task(pid));
	if (file_read(path, MOUNTINFO_LIMIT, &text) < 0)
		return NULL;
	mounts = mounts_parse(buf_text(&text), NULL);
	for (size_t i = 0; i < mounts->list.count; i++)
		mounts->list.items[i].local |=
			mounts_device_is_local(ours, mounts->list.items[i].device);
	return mounts;
}

void mounts_refresh(struct mounts *mounts)
{
	struct pollfd changed = { .fd = mounts->fd, .events = POLLPRI };

	if (mounts->fd >= 0 && poll(&changed, 1, 0) > 0)
		read_again(mounts);
}

void mounts_free(struct mounts *mounts)
{
	if (!mounts)
		return;
	if (mounts->fd >= 0)
		close(mounts->fd);
	free(mounts->own);
	free(mounts->text);
	vec_free(&mounts->list);
	free(mounts);
}

/* ---- questions ---- */

const struct mount *mounts_obstacle(const struct mounts *mounts, const char *path)
{
	return obstacle(mounts, path);
}

bool mounts_has(const struct mounts *mounts, const char *path)
{
	for (size_t i = 0; i < mounts->list.count; i++) {
		if (strcmp(mounts->list.items[i].point, path) == 0)
			return true;
	}
	return false;
}

const struct mount *mounts_by_id(const struct mounts *mounts, uint32_t id)
{
	for (size_t i = 0; i < mounts->list.count; i++) {
		if (mounts->list.items[i].id == id)
			return &mounts->list.items[i];
	}
	return NULL;
}

bool mounts_device_is_local(const struct mounts *mounts, uint64_t device)
{
	bool found = false;

	for (size_t i = 0; i < mounts->list.count; i++) {
		if (mounts->list.items[i].device != device)
			continue;
		if (!mounts->list.items[i].local)
			return false;
		found = true;
	}
	return found;
}

void mounts_each_local(const struct mounts *mounts,
		       void (*visit)(void *context, const struct mount *mount), void *context)
{
	for (size_t i = 0; i < mounts->list.count; i++) {
		if (!obstacle(mounts, mounts->list.items[i].point))
			visit(context, &mounts->list.items[i]);
	}
}
