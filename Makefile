# SPDX-License-Identifier: GPL-2.0-or-later
# The few words people type. The build itself is described in meson.build.
PREFIX ?= /usr/local
MAKEFLAGS += --no-print-directory

.PHONY: all deps demo check check-all coverage fuzz install deb release bench bench-all \
	clean

# The program, at build/prospect.
all:
	@tools/build build prospect --prefix=$(PREFIX) -Dtests=disabled

# Installs what the build needs.
deps:
	@tools/install-deps build

# Profiles this machine for about 20 seconds while it compiles and packs something, prints the report,
# and draws demo.html.
demo: deps all
	@tools/demo

# Whether a change may land: in less than ten minutes, the same answer on every machine. What only the
# tests need is installed while the program is built, except what would replace the build's own tools.
check:
	@tools/install-deps build first
	@tools/install-deps test & packages=$$!; \
		tools/build build prospect --prefix=$(PREFIX) -Dtests=disabled && wait $$packages
	@tools/run-tests checks golden unit system

# What measures, takes minutes, or needs other languages, virtual machines or a browser, in parts; about
# an hour.
check-all:
	@tools/install-deps build test heavy fuzz
	@tools/run-tests heavy

# What the tests run of each module, against tests/coverage; a quarter of an hour.
coverage:
	@tools/install-deps build test
	@tools/coverage

# Searches for inputs that break a parser, FUZZ_SECONDS (60) for each, FUZZ_JOBS (1) at a time.
fuzz:
	@tools/install-deps build test fuzz
	@tools/fuzz

# PREFIX and DESTDIR are honoured.
install: all
	@tools/install $(PREFIX)

# Side by side with its peers, about ten minutes; compare ratios.
bench: deps all
	@tools/install-deps bench
	@bench/run.sh build/prospect

# And what takes the peers minutes.
bench-all: deps all
	@tools/install-deps bench
	@BENCH_ALL=1 bench/run.sh build/prospect

# A Debian package in build/, and one with its debug information.
deb:
	@tools/install-deps build package
	@tools/make-deb

# An archive in build/ that runs where it is unpacked.
release:
	@tools/install-deps build package
	@tools/make-release

clean:
	@rm -rf build build-check build-coverage build-deb build-fuzz build-release
