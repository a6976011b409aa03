# SPDX-License-Identifier: GPL-2.0-or-later
# The thin front: meson does the work.

# BESIDE=1: as nvme-mptcp beside nvme-cli and libnvme, in a build directory of its own.
BESIDE ?=
ASIDE = $(filter-out 0 no,$(BESIDE))
BUILD ?= build$(if $(ASIDE),-beside)
DESTDIR ?=
PREFIX ?=
FORCE ?=
ALONE ?=
RELEASE ?=
JOBS ?= $(shell nproc)
PYTHON ?= /usr/bin/python3

export BUILD PYTHON

# A compiler's warnings keep nobody out: test/run makes them errors, in build directories of its own.
# A prefix that was given once stays; without one it is /usr/local.
CONFIGURE = tools/configure $(BUILD) $(if $(PREFIX),--prefix '$(PREFIX)') --sysconfdir /etc -Dwerror=false \
	$(if $(ASIDE),-Dbeside=true)
NINJA = tools/step --hint "the first error in it counts" "building $(or $(1),everything)" $(BUILD)/build.log \
	ninja -C $(BUILD) -j $(JOBS) $(1)

all: configured
	@$(call NINJA)

# What a user runs, without the tests.
programs: configured
	@$(call NINJA,programs)

# The first time, packages that are missing are installed, or named where that cannot be.
configured:
	@[ -f $(BUILD)/build.ninja ] || tools/setup build || true
	@$(CONFIGURE)

setup:
	@tools/setup

# Everything on a fresh machine: set-up, build, lab, and NVMe over MPTCP at work.
demo:
	@tools/setup build lab
	@$(MAKE) --no-print-directory programs
	@test/lab/lab demo --build $(BUILD)

# The tests to run before each commit; test-all also runs those that take long: see test/run.
test:
	@tools/setup
	@test/run

test-all:
	@tools/setup build test doc browser lab cross
	@test/run --all

# A target that was missed is a result: it is printed, and fails test/bench/run alone.
# BENCH='--runs 3': options of test/bench/run.
BENCH ?=
bench:
	@tools/setup
	@$(MAKE) --no-print-directory all
	@test/bench/run $(BENCH) || [ $$? -eq 1 ]

# Measures MPTCP and its alternatives in the lab, and writes doc/performance.md.
# FIGURE=name: one figure; KERNEL_SERIES=6.12 or newest; ANEW=1: also what has results; LIST=1: only print what
# would be measured. HOST=[USER@]H TARGET=[USER@]T: two real machines over ssh instead of the lab;
# TRADDR="A B": the target's address on each link. The environment's HOST is ignored.
given = $(if $(findstring command line,$(origin $1)),$($1))
FIGURE ?=
ANEW ?=
KERNEL_SERIES ?=
LIST ?=
listed = $(filter-out 0 no,$(LIST))
compare:
	@$(if $(listed),,tools/setup $(if $(call given,HOST)$(call given,TARGET),,build lab))
	@$(if $(listed)$(call given,HOST)$(call given,TARGET),,$(MAKE) --no-print-directory programs)
	@$(PYTHON) test/bench/compare --build $(BUILD) $(addprefix --figure ,$(FIGURE)) \
		$(if $(call given,HOST),'--host=$(call given,HOST)') \
		$(if $(call given,TARGET),'--target=$(call given,TARGET)') \
		$(addprefix --traddr=,$(call given,TRADDR)) \
		$(addprefix --kernel-series ,$(KERNEL_SERIES)) \
		$(if $(filter-out 0 no,$(ANEW)),--anew) $(if $(listed),--list)

# All documents, manual pages and the Python package as one site, with Sphinx.
doc:
	@tools/setup build doc
	@$(MAKE) --no-print-directory configured
	@$(call NINJA,site)
	@echo "$(BUILD)/doc/html/index.html"

# What is installed is built, and no tests. ALONE=1: the program nvme-mptcp, over the libnvme that is there.
install: configured
	@tools/install $(BUILD) --jobs $(JOBS) --destdir '$(DESTDIR)' $(if $(filter-out 0 no,$(FORCE)),--force) \
		$(if $(filter-out 0 no,$(ALONE)),--alone)

# What make install put there.
uninstall:
	@tools/install $(BUILD) --destdir '$(DESTDIR)' --uninstall

# Debian packages: of this machine's release, or in a root of RELEASE (12 or 13).
deb:
	@$(if $(RELEASE),,tools/setup build deb)
	@tools/deb $(RELEASE)

# What a release consists of: source, packages of both releases, tarballs for others, checksums.
dist:
	@tools/setup build deb cross
	@tools/dist $(RELEASE)

# Two full Debian 13 machines go through both tutorials: see test/machines/README.md. LIST=1: only say how.
machines:
	@$(if $(listed),,tools/setup lab deb)
	@test/machines/run $(if $(listed),--list)

# The transport's tests in the lab on a kernel with KASAN, lockdep and kmemleak, which the first run compiles.
# LIST=1: only print which.
DEBUG_TESTS = $(patsubst %,test_%.py,module attacks attacks_network mptcp_chaos fabrics_selftest)
debug-kernel:
	@$(if $(listed),echo $(DEBUG_TESTS),tools/setup build lab && $(MAKE) --no-print-directory all && \
		test/lab/lab build --build $(BUILD) --kernel-series debug && \
		test/lab/lab test --build $(BUILD) --kernel-series debug $(DEBUG_TESTS))

clean:
	@rm -rf $(BUILD) $(BUILD)-*

.PHONY: all programs configured setup demo test test-all bench compare doc install uninstall deb dist machines debug-kernel clean
