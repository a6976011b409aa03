# SPDX-License-Identifier: GPL-2.0-or-later
# The thin front: meson does the work.

BUILD ?= build
DESTDIR ?=
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
PYTHON ?= /usr/bin/python3

export BUILD PYTHON

# One line of progress on a terminal, nothing but failures elsewhere.
NINJA = ninja -C $(BUILD) -j $(JOBS) $$([ -t 1 ] || echo --quiet)

all: $(BUILD)/build.ninja
	@$(NINJA)

# What a user runs, without the tests.
programs: $(BUILD)/build.ninja
	@$(NINJA) programs

$(BUILD)/build.ninja:
	@command -v meson >/dev/null || { echo "make: meson is missing; 'make setup' installs what is needed" >&2; exit 1; }
	@meson setup $(BUILD) --prefix $(PREFIX) --sysconfdir /etc >$(BUILD).log 2>&1 || \
		{ tail -n 20 $(BUILD).log >&2; exit 1; }
	@rm -f $(BUILD).log

setup:
	@tools/setup

# Everything on a fresh machine: set-up, build, lab, and NVMe over MPTCP at work.
demo:
	@tools/setup build lab
	@$(MAKE) --no-print-directory programs
	@test/lab/lab demo

# Everything that can fail: see test/run.
test:
	@tools/setup
	@test/run

bench: all
	@tools/setup
	@test/bench/run

# Pages of the Python package, with Sphinx.
doc: $(BUILD)/build.ninja
	@$(NINJA) python-doc && echo "$(BUILD)/doc/python/index.html"

install: all
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild

clean:
	@rm -rf $(BUILD) $(BUILD)-*

.PHONY: all programs setup demo test bench doc install clean
