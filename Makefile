# SPDX-License-Identifier: GPL-2.0-or-later
# The thin front: meson does the work.

BUILD ?= build
DESTDIR ?=
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
PYTHON ?= /usr/bin/python3

export BUILD PYTHON

# A compiler's warnings keep nobody out: test/run makes them errors, in build directories of its own.
CONFIGURE = tools/configure $(BUILD) --prefix $(PREFIX) --sysconfdir /etc -Dwerror=false
NINJA = tools/step --hint "the first error in it counts" "building $(or $(1),everything)" $(BUILD)/build.log \
	ninja -C $(BUILD) -j $(JOBS) $(1)

all: configured
	@$(call NINJA)

# What a user runs, without the tests.
programs: configured
	@$(call NINJA,programs)

configured:
	@$(CONFIGURE)

setup:
	@tools/setup

# Everything on a fresh machine: set-up, build, lab, and NVMe over MPTCP at work.
demo:
	@tools/setup build lab
	@$(MAKE) --no-print-directory programs
	@test/lab/lab demo --build $(BUILD)

# Everything that can fail: see test/run.
test:
	@tools/setup
	@test/run

bench:
	@tools/setup
	@$(MAKE) --no-print-directory all
	@test/bench/run

# Pages of the Python package, with Sphinx.
doc:
	@tools/setup build doc
	@$(MAKE) --no-print-directory configured
	@$(call NINJA,python-doc)
	@echo "$(BUILD)/doc/python/index.html"

install: all
	@DESTDIR=$(DESTDIR) tools/step --hint "below $(PREFIX) it takes root; DESTDIR names another place" \
		installing $(BUILD)/install.log meson install -C $(BUILD) --no-rebuild
	@echo "installed below $(DESTDIR)$(PREFIX); the list of files is in $(BUILD)/install.log"

clean:
	@rm -rf $(BUILD) $(BUILD)-*

.PHONY: all programs configured setup demo test bench doc install clean
