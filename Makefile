# SPDX-License-Identifier: BSD-3-Clause
# A thin front over CMake. `make demo` and `make test` need nothing but git and make to start with.
# What `make help` prints:
#
#   make            build the library, the command and the examples in build/
#   make demo       fit, score and draw two toy sets
#   make check      test one build with few cases, under a minute
#   make check T=laws          only the test programs with "laws" in their names
#   make check T=laws:threads  only their tests with "threads" in their names; T=threads_1 finds them too
#   make test       all tests, in every build that is promised; the last line counts them
#   make test STAGES="gcc r"   some of it
#   make test-engines  Spark and Dask, on clusters of processes; part of make test
#   make test-packages  install each package where nothing else is, and make it twice; part of make test
#   make torture    make test with all cases, also under sanitizers, and the fuzz targets; hours
#   make install    PREFIX (/usr/local) and DESTDIR are respected
#   make dist       dist/: source archive, sdist, wheel, .deb and checksums; same commit, same bytes
#   make dist PARTS="sdist wheel"  some of it
#   make r          the source package for R, in build/r
#   make site       the documentation in build/site, to read in a browser
#   make format     rewrite the C files in the project's style
#   make lint       check the style, and run the static analyser
#   make coverage   lines and branches of src/ that tests reach
#   make fuzz       look for inputs that break something, FUZZ_SECONDS each target
#   make abi        the binary interface beside that of the last release
#   make accuracy   docs/accuracy.md: without labels, against the peers, over many sets
#   make bench      docs/benchmarks.md: speed next to its bounds and the peers, under 20 minutes
#   make bench-quick  the main ratios of it in build/bench.json, under 5 minutes
#   make paper      docs/paper.md: every table and figure of the paper, ours beside theirs
#   make paper-quick  its tests: the protocol, FROCC twice, the theory
#   make clean      delete build/

BUILD = build
PREFIX = /usr/local
JOBS = $(shell nproc 2>/dev/null || echo 2)
STAGES =
PARTS =
T =
FUZZ_SECONDS = 60

# The make that CMake starts has its own number of jobs.
CMAKE = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL cmake

all: $(BUILD)/configured
	@$(CMAKE) --build $(BUILD) -j $(JOBS)

$(BUILD)/configured:
	@scripts/setup build
	@mkdir -p $(BUILD)
	@$(CMAKE) -S . -B $(BUILD) >$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }
	@touch $@

help:
	@sed -n 's/^#   //p' Makefile

# Only what it needs, and no word about it unless it fails.
demo: $(BUILD)/configured
	@$(CMAKE) --build $(BUILD) -j $(JOBS) --target frocc_cli >$(BUILD)/demo.log 2>&1 || \
	    { cat $(BUILD)/demo.log; exit 1; }
	@$(BUILD)/frocc demo --output $(BUILD)/demo.svg

check:
	@tests/run --check $(T)

test:
	@tests/run $(STAGES)

test-engines:
	@tests/run engines

torture:
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tests/run --torture $(STAGES)

dist:
	@packaging/dist $(PARTS)

.PHONY: abi
abi:
	@packaging/abi

test-packages:
	@tests/run packages

r:
	@scripts/setup --try r
	@r/build $(BUILD)/r

.PHONY: site
site:
	@packaging/site/build
	@echo build/site/index.html, or with search: python3 -m http.server -d build/site

install: all
	@DESTDIR="$(DESTDIR)" $(CMAKE) --install $(BUILD) --prefix "$(PREFIX)"

format:
	@scripts/lint --fix format

lint:
	@scripts/lint format tidy

fuzz:
	@scripts/fuzz $(FUZZ_SECONDS)

coverage:
	@scripts/coverage

accuracy: all
	@bench/accuracy/run

bench bench-quick: $(BUILD)/configured
	@$(CMAKE) --build $(BUILD) -j $(JOBS) --target speed frocc_cli
	@FROCC_BUILD=$(BUILD) bench/speed/run $(if $(filter bench-quick,$@),--quick)

paper: all
	@FROCC_BUILD=$(BUILD) bench/paper/run

paper-quick: all
	@FROCC_BUILD=$(BUILD) bench/paper/run --quick

clean:
	rm -rf $(BUILD)

.PHONY: help coverage all demo check test test-engines torture r dist test-packages install format lint fuzz accuracy bench bench-quick paper paper-quick clean
