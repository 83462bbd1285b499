# winch: the commands a user or a developer types. The work is in scripts/.
#
#   make run URL=https://…   install what is missing, build the release, start winch here
#   make test                install what is missing, build and run every test

PREFIX ?= /usr/local
DESTDIR ?=
URL ?=
FILTER ?= .

SWIFT := scripts/swift
SWIFT_SOURCES := Sources Tests Package.swift
RELEASE := -c release --static-swift-stdlib --product winch
BINARY := .build/release/winch
# Those that drive the built program in terminals run by themselves, since they wait for screens;
# those of Workers too, since libdispatch on Linux may lose a descriptor source that is let go while
# many other tests load the machine.
ALL_TESTS := $(SWIFT) test --skip-build --filter WorkersTests \
  && $(SWIFT) test --skip-build --skip WorkersTests --skip EndToEndTests \
  && $(SWIFT) test --skip-build --filter EndToEndTests
THREADED := WorkersTests|ConnectionsTests|StorageTests|EngineTests

# A crash in a test prints its backtrace and ends; it never asks.
test tsan golden: export SWIFT_BACKTRACE := enable=yes,interactive=no,color=no
# Under the thread sanitizer everything takes about ten times as long.
tsan: export TEST_PATIENCE := 300
export URL

.DEFAULT_GOAL := build
.PHONY: build run test tsan fuzz lint format layers sizes faults check bench screenshots golden install clean

build:
	@scripts/packages build
	@$(SWIFT) build $(RELEASE)

run: build
	@scripts/run $(BINARY)

test:
	@scripts/packages test
	@$(SWIFT) build --build-tests
	@if [ '$(FILTER)' = . ]; then $(ALL_TESTS); \
	else $(SWIFT) test --skip-build --filter '$(FILTER)'; fi < /dev/null

tsan:
	@scripts/packages test
	@$(SWIFT) build --build-tests --sanitize=thread --scratch-path .build/tsan
	@$(SWIFT) test --skip-build --sanitize=thread --scratch-path .build/tsan \
	  --filter '$(THREADED)' < /dev/null

# Ten minutes for each reader of bytes from outside, or SECONDS for the one that SUBJECT names.
fuzz:
	@scripts/packages test
	@scripts/fuzz '$(or $(SECONDS),600)' $(SUBJECT)

lint:
	@$(SWIFT) format lint --strict --parallel --recursive $(SWIFT_SOURCES)

format:
	@$(SWIFT) format --in-place --parallel --recursive $(SWIFT_SOURCES)

layers:
	@scripts/check-layers

sizes:
	@scripts/check-sizes

faults:
	@scripts/check-faults

check: lint layers sizes faults

bench: build
	@Benchmarks/run

screenshots: build
	@scripts/screenshots

golden:
	@scripts/packages test
	@UPDATE_GOLDEN=1 $(SWIFT) test --filter 'FramesTests|DashboardTests' < /dev/null

install:
	@test -x $(BINARY) || $(MAKE) --no-print-directory build
	install -D -m 755 $(BINARY) '$(DESTDIR)$(PREFIX)/bin/winch'

clean:
	rm -rf .build
