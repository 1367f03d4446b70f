# SPDX-License-Identifier: BSD-3-Clause
# A thin front over CMake. `make demo` and `make test` need nothing but git and make to start with.
#
#   make            build the library, the command and the examples in build/
#   make demo       the paper's toy sets, fitted, scored and drawn
#   make check      the inner loop: one build, quick cases, under a minute; T=laws for some of it
#   make test       everything that must hold; the last line counts the tests
#   make test-engines  Spark and Dask, on clusters of processes; part of make test
#   make torture    the same with all cases, also under sanitizers, and the fuzz targets; hours
#   make dist       dist/: source archive, sdist, wheel, .deb and checksums; of the same commit the same
#                   bytes; PARTS="sdist wheel" for some of it
#   make test-packages  each of them installed where nothing else is, and made twice
#   make site       the documentation in build/site, to read in a browser
#   make r          the source package for R, in build/r
#   make abi        the binary interface beside that of the last release
#   make install    PREFIX (/usr/local) and DESTDIR are respected
#   make format     rewrite the C files in the project's style
#   make lint       check the style, and run the static analyser
#   make accuracy   docs/accuracy.md: without labels, against the peers, over many sets
#   make bench      docs/benchmarks.md: speed next to its bounds and the peers, under 20 minutes
#   make bench-quick  the main ratios of it in build/bench.json, under 5 minutes
#   make paper      docs/paper.md: every table and figure of the paper, ours beside theirs
#   make paper-quick  its tests: the protocol, FROCC twice, the theory
#   make fuzz       look for new inputs that break something, FUZZ_SECONDS each target
#   make coverage   lines and branches of src/ that tests reach
#   make clean

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

.PHONY: coverage all demo check test test-engines torture r dist test-packages install format lint fuzz accuracy bench bench-quick paper paper-quick clean
