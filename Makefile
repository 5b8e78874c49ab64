# Everything sets itself up on a fresh Debian 12 machine (apt, with sudo if not root).
#
#   make build              the program at build/release/weft
#   make demo [DATA=file]   the quickstart, end to end, on the project's own data or on yours
#   make test               what CI runs: all tests, layout, format, fuzzers 30 s each
#   make check              before handing in: sanitizers, layout, format, clang-tidy, fuzzers 30 s each
#   make bench              figures beside those of the peers, as ratios
#   make nightly            the long runs: fuzzers, crashes, simulation, large data
#   make install PREFIX=…   default /usr/local
#   make hooks              the commit hooks of tools/hooks
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
export JOBS

.PHONY: build demo test check bench nightly install hooks clean
build:
	@tools/run.sh build
demo:
	@tools/run.sh demo $(DATA)
test:
	@tools/run.sh test
check:
	@tools/run.sh check
bench:
	@tools/run.sh bench $(BENCH)
nightly:
	@tools/run.sh nightly
install:
	@tools/run.sh install "$(PREFIX)"
hooks:
	git config core.hooksPath tools/hooks
clean:
	rm -rf build
