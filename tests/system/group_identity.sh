# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Whose names a mapping gets: those of the file that was mapped, or none.

# map_while LIBRARY COMMAND [RECORDER...]: records a program that works in a library, to which COMMAND
# happens before the recorder reads of the mapping. The names of its functions go to $T/rows.
map_while() {
	local library=$1 command=$2
	shift 2
	[ $# -gt 0 ] || set -- "$PROSPECT"
	compile mapper mapper.c -ldl || fail "could not build mapper"
	expect_status 0 "$@" record -o "$T/prof" "$BIN/mapper" 0.5 "$library" a_first "$command"
	own_rows "$T/prof" symbol --select 'program=mapper mode=user' > "$T/rows"
	[ -s "$T/rows" ] || fail "it was not hit"
}

has_name() {
	grep -q "^$1$(printf '\t')" "$T/rows"
}

has_no_name_of_another() {
	! has_name b_first || fail "a name of another file:" "$(cat "$T/rows")"
}

# stored PATH COLUMN: what the profile has of the image that functions were hit in.
stored() {
	"$PROSPECT" query "SELECT $2 FROM image WHERE path = '$1' AND id IN (SELECT image FROM frame)" \
		"$T/prof" --format csv 2> /dev/null | tail -n +2
}

# rewrite FROM TO: the command that does it in place. What is mapped is never shorter meanwhile: the
# program would lose the pages that are its own.
rewrite() {
	echo "dd if='$1' of='$2' conv=notrunc status=none && touch -r '$1' '$2'"
}

two_libraries() {
	cp "$BIN/liba.so" "$T/lib.so"
	cp "$BIN/libb.so" "$T/other.so"
}

test_names_of_an_untouched_library() {
	two_libraries
	map_while "$T/lib.so" true
	has_name a_first || fail "$(cat "$T/rows")"
}

test_names_of_a_deleted_library() {
	need_root
	two_libraries
	map_while "$T/lib.so" "rm '$T/lib.so'"
	has_name a_first || fail "$(cat "$T/rows")"
}

test_names_of_a_replaced_library() {
	need_root
	two_libraries
	map_while "$T/lib.so" "mv '$T/other.so' '$T/lib.so'"
	has_no_name_of_another
	has_name a_first || fail "$(cat "$T/rows")"
}

# Deleted, and another file has its name and its inode number, where the file system gives it again.
test_no_names_of_a_reused_inode() {
	two_libraries
	map_while "$T/lib.so" "rm '$T/lib.so'; cp '$T/other.so' '$T/lib.so'"
	has_no_name_of_another
}

# The new file has the size, the inode and even the time of the old one.
test_no_names_of_a_rewritten_library() {
	two_libraries
	truncate -s 65536 "$T/lib.so" "$T/other.so"
	touch -r "$T/lib.so" "$T/other.so"
	map_while "$T/lib.so" "$(rewrite "$T/other.so" "$T/lib.so")"
	has_no_name_of_another
	[ "$(stored "$T/lib.so" state)" = replaced ] || fail "$(stored "$T/lib.so" '*')"
}

# The names of the first program stay, and the second one gets its own. Names are read with each part
# of the profile, here every 0.2 s. A file may have changed for some ticks of the kernel after its time of
# change: a mapping within them proves nothing, so the second program begins later.
test_names_of_a_library_rewritten_between_programs() {
	local name recorder
	two_libraries
	truncate -s 65536 "$T/lib.so" "$T/other.so"
	touch -r "$T/lib.so" "$T/other.so"
	cat > "$T/both" <<- END
		"$BIN/loader" 600 "$T/lib.so" a_first & echo \$! > "$T/pid"
		wait
		cp -p "$T/other.so" "$T/lib.so"
		sleep 0.2
		"$BIN/loader" 0.5 "$T/lib.so" b_first
	END
	"$PROSPECT" record -M 20 -o "$T/prof" -- sh "$T/both" > "$T/stdout" 2> "$T/stderr" &
	recorder=$!
	trap 'kill $(jobs -p) $(cat "$T/pid") 2> /dev/null' EXIT
	until_true has_function "$T/prof" a_first
	kill "$(cat "$T/pid")"
	wait $recorder || fail "record ended with $?:" "$(cat "$T/stderr")"
	own_rows "$T/prof" process,symbol --select 'program=loader mode=user' > "$T/rows"
	for name in a_first b_first; do
		cut -f 2 "$T/rows" | grep -qx $name || fail "no $name:" "$(cat "$T/rows")"
	done
	[ "$(awk -F '\t' '$2 ~ /^[ab]_first$/ { print $1 }' "$T/rows" | sort -u | wc -l)" = 2 ] ||
		fail "names of another program:" "$(cat "$T/rows")"
}

# Nobody but root may open a deleted file, but who has it mapped may ask the kernel for its build id.
test_build_id_of_a_deleted_library() {
	local id
	need setpriv
	two_libraries
	id=$(readelf -n "$T/lib.so" | sed -n 's/.*Build ID: //p')
	[ -n "$id" ] || skip "programs have no build ids here"
	user_folder
	mv "$T/lib.so" "$T/user/lib.so"
	as_plain_user "$PROSPECT" record -o "$T/user/prof" true 2> "$T/stderr" ||
		skip "nothing is permitted here: $(tail -n 1 "$T/stderr")"
	chmod 777 "$T"
	map_while "$T/user/lib.so" "rm '$T/user/lib.so'" as_plain_user "$PROSPECT"
	! has_name a_first || fail "a deleted file was read without the right to"
	compile asks_id asks_id.c -Wl,--build-id || fail "asks_id.c does not compile"
	"$BIN/asks_id" 2> "$T/asks_id" || skip "this kernel tells no build ids of mappings"
	[ "$(stored "$T/user/lib.so" 'lower(hex(build_id))')" = "$id" ] ||
		fail "$(stored "$T/user/lib.so" '*, hex(build_id)')"
}

test_names_on_overlayfs() {
	need_root
	mkdir "$T/lower" "$T/upper" "$T/layers" "$T/merged"
	cp "$BIN/liba.so" "$BIN/mapper" "$BIN/loop" "$T/lower"
	mount -t tmpfs none "$T/layers" 2> /dev/null || skip "nothing may be mounted"
	mkdir "$T/layers/upper" "$T/layers/scratch"
	trap 'umount -l "$T/merged" "$T/layers" 2> /dev/null' EXIT
	mount -t overlay -o "lowerdir=$T/lower,upperdir=$T/layers/upper,workdir=$T/layers/scratch" none \
		"$T/merged" 2> /dev/null || skip "no overlay may be mounted"
	check_names_on "$T/merged"
}

# check_names_on FOLDER: names of files that are there, that were copied there, and that were rewritten
# there.
check_names_on() {
	local folder=$1
	cp "$BIN/liba.so" "$folder/new.so"
	cp "$BIN/libb.so" "$T/other.so"
	map_while "$folder/liba.so" true
	has_name a_first || fail "a file that was there:" "$(cat "$T/rows")"
	map_while "$folder/new.so" true
	has_name a_first || fail "a new file:" "$(cat "$T/rows")"
	map_while "$folder/new.so" "$(rewrite "$T/other.so" "$folder/new.so")"
	has_no_name_of_another
	cp "$BIN/liba.so" "$folder/gone.so"
	map_while "$folder/gone.so" "rm '$folder/gone.so'"
	has_name a_first || fail "a deleted file:" "$(cat "$T/rows")"
}

test_names_on_btrfs() {
	need_root
	need mkfs.btrfs
	need btrfs
	truncate -s 256M "$T/image"
	mkfs.btrfs -q "$T/image" || skip "mkfs.btrfs makes no file system"
	mkdir "$T/mounted"
	mount -o loop "$T/image" "$T/mounted" 2> /dev/null || skip "no btrfs may be mounted"
	trap 'umount -l "$T/mounted" 2> /dev/null' EXIT
	btrfs -q subvolume create "$T/mounted/part" > /dev/null || fail "no subvolume"
	cp "$BIN/liba.so" "$T/mounted/part"
	check_names_on "$T/mounted/part"
}

# make_container FILE: programs/embedded.c twice as libraries in a file that is none, at BASE_A and BASE_B,
# with something before, between and after them. Their functions begin with a_ and b_.
make_container() {
	compile embedded embedded.c || fail "embedded.c does not compile"
	compile embedded-a.so embedded.c -shared -fPIC -nostdlib -DNAME=a -Wl,-z,separate-code \
		-Wl,--build-id || fail "embedded-a.so does not link"
	compile embedded-b.so embedded.c -shared -fPIC -nostdlib -DNAME=b -Wl,-z,noseparate-code \
		-Wl,--build-id=none || fail "embedded-b.so does not link"
	BASE_A=4096
	{ printf 'PK\003\004' && head -c 4092 /dev/zero && cat "$BIN/embedded-a.so"; } > "$1"
	BASE_B=$((($(stat -c %s "$1") + 8191) / 4096 * 4096))
	truncate -s $BASE_B "$1"
	cat "$BIN/embedded-b.so" >> "$1"
	head -c 5000 /dev/urandom >> "$1"
	touch -d '2001-01-01' "$1"
}

# address_in LIBRARY FUNCTION
address_in() {
	nm "$BIN/$1" | awk -v name="$2" '$3 == name { print "0x" $1 }'
}

# A library that is stored in a zip file is mapped from there.
test_names_of_embedded_libraries() {
	need nm
	local container=$T/container.zip line name wrong base
	make_container "$container"
	record "$T/prof" -- "$BIN/embedded" 0.3 "$container" \
		$BASE_A "$(address_in embedded-a.so a_outer)" $BASE_B "$(address_in embedded-b.so b_outer)"
	"$PROSPECT" export --format collapsed -q --select 'program=embedded mode=user' "$T/prof" > "$T/stacks" ||
		fail "export"
	for name in a b; do
		grep -q ";main;${name}_outer;${name}_middle;${name}_inner " "$T/stacks" ||
			fail "no stacks of $name:" "$(cat "$T/stacks")"
	done
	wrong=$(grep -v ";main;\([ab]\)_outer\(;\1_middle\(;\1_inner\)\?\)\? " "$T/stacks" |
		grep '[ab]_\(outer\|middle\|inner\)\|container')
	[ -z "$wrong" ] || fail "other stacks:" "$wrong"
	"$PROSPECT" report "$T/prof" --by symbol,image --select 'program=embedded mode=user' --format csv > "$T/images"
	for name in a b; do
		base=$BASE_A
		[ $name = a ] || base=$BASE_B
		grep -q "^${name}_inner,$container!$(printf '0x%x' $base)," "$T/images" ||
			fail "nothing of $name:" "$(cat "$T/images")"
	done
	line=$(line_of "$HERE/programs/embedded.c" 'SPIN(rounds);')
	"$PROSPECT" report "$T/prof" --by symbol,line --select 'program=embedded mode=user' --format csv > "$T/lines"
	for name in a b; do
		grep -q "^${name}_inner,.*embedded.c:$line," "$T/lines" ||
			fail "no line of $name:" "$(cat "$T/lines")"
	done
}
