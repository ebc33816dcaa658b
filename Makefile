# Everything a person or CI types. A bare Debian 12 needs only this once, as root: apt install make git
.DEFAULT_GOAL := help
.PHONY: help demo test sanitize sanitize_threads bench docs gallery layout lint lint_library format clean

JOBS ?= $(shell nproc)
CUTTLE_WERROR ?= OFF
CTEST = ctest --output-on-failure --no-tests=error --no-label-summary -j$(JOBS)
# the first time: Ninja, no tests until somebody asks for them, and sources in groups, which halves the time of a whole
# build. Who changes code does better with `make test UNITY=OFF`: then a change compiles one file.
UNITY ?= ON
configure = cmake -S . -B $(1) $(if $(wildcard $(1)/CMakeCache.txt),,-G Ninja -DCUTTLE_BUILD_TESTS=OFF -DCUTTLE_UNITY=$(UNITY)) \
  --log-level=WARNING -DCUTTLE_WERROR=$(CUTTLE_WERROR)
build = cmake --build $(1) --parallel $(JOBS)

help:
	@echo "make demo      install what is missing, build, simulate a hybrid robot and show it (first time 6 to 12 minutes)"
	@echo "make test      install what is missing, build and run all tests          (first time 10 to 15 minutes)"
	@echo "make sanitize  tests of every part with the address and undefined-behavior sanitizers (clang)"
	@echo "make sanitize_threads   tests of batches and live robots with the thread sanitizer (clang)"
	@echo "make bench     benchmarks against MuJoCo: a table, and build/bench.json     (3 minutes on a quiet machine)"
	@echo "make docs      write docs/format.md and docs/schema/ again, after a change of the file format"
	@echo "make gallery   a picture of every robot in models/, in docs/gallery   (5 minutes)"
	@echo "make layout    whether the code is laid out as clang-format does;   make format: lay it out"
	@echo "make lint      that, and clang-tidy over everything;  make lint_library: without tests and benchmarks"
	@echo "make clean     remove build*/ and out/"

demo:
	@echo "make demo: 1. install missing Debian packages (at most 260 MB of download, 1 to 5 minutes; nothing if all are there)"
	@echo "           2. build Cuttle in build/ (some minutes the first time), and its viewer: npm downloads 100 MB"
	@echo "           3. simulate a hybrid robot, and make a page of it: out/hybrid_arm.html (some seconds)"
	@scripts/setup.sh build
	@$(call configure,build) -DCMAKE_BUILD_TYPE=Release
	@$(call build,build) --target cuttle_tool
	@mkdir -p out
	build/cuttle simulate models/pustina2025/hybrid_arm_scenario.yaml -o out/hybrid_arm.h5 --csv --svg out/hybrid_arm.svg
	build/cuttle view out/hybrid_arm.h5 -o out/hybrid_arm.html --no-open
	@echo
	@echo "Open out/hybrid_arm.html in a browser: the robot in 3D, and its curves. out/hybrid_arm.svg is a figure of it."
	@echo "Then try:"
	@echo "  build/cuttle live models/examples/tendon_arm.yaml      (pull at its tendons, push it with the mouse)"
	@echo "  build/cuttle check models/pustina2025/hybrid_arm.yaml"
	@echo "  build/cuttle simulate models/pustina2025/hybrid_arm_scenario.yaml -o out/longer.h5 --duration 10"
	@echo "  build/cuttle --help"

test:
	@scripts/setup.sh test
	@$(call configure,build) -DCMAKE_BUILD_TYPE=Release -DCUTTLE_BUILD_TESTS=ON
	@$(call build,build)
	@$(CTEST) --test-dir build

# $(call sanitized,PACKAGES,DIRECTORY,SANITIZERS,OPTIONS,TESTS). The viewer's page is that of `make test`, if it is there. A
# finding aborts: no test may take it for an exit code that it expects.
page = -DCUTTLE_VIEWER_PAGE=$(wildcard $(CURDIR)/build/viewer/page.html)
sanitizer_options = UBSAN_OPTIONS=print_stacktrace=1:abort_on_error=1 ASAN_OPTIONS=abort_on_error=1 \
  TSAN_OPTIONS=abort_on_error=1:halt_on_error=1:suppressions=$(CURDIR)/tests/tsan.supp
define sanitized
@scripts/setup.sh $(1)
@$(call configure,$(2)) -DCMAKE_BUILD_TYPE=Debug -DCUTTLE_BUILD_TESTS=ON $(page) "-DCUTTLE_SANITIZE=$(3)" $(4)
@$(call build,$(2))
@$(sanitizer_options) $(CTEST) --test-dir $(2) $(5)
endef
# Gradients by all numbers of a file for some robots only, not the run of a mesh, laws with two methods: the same code again, for minutes.
slow_with_sanitizers = EveryParameter.*/(swimmer|hybrid_arm|arm_rods|rods|volumes|simulation[0-9_a-z]*|neural_arm|lvp_finger|free|drones|tendons|edges|parallel_robot|branched_tree|ritz_block|floating_rod)|EveryKindOfRobot.*/femfinger|EveryLaw.*(_(hht|generalized_alpha|midpoint|energy_conserving|tsit5|rk4|bdf)|adaptive)|Lqr.RunsWithEveryIntegrator
sanitize:
	$(call sanitized,sanitize,build-sanitize,address;undefined,-DCMAKE_CXX_COMPILER=clang++,-E '$(slow_with_sanitizers)')

sanitize_threads:
	$(call sanitized,sanitize,build-sanitize-threads,thread,-DCMAKE_CXX_COMPILER=clang++,-E EveryParameter)

bench:
	@scripts/setup.sh bench
	@$(call configure,build) -DCMAKE_BUILD_TYPE=Release -DCUTTLE_BUILD_BENCHMARKS=ON
	@$(call build,build) --target cuttle_bench
	@scripts/bench_table.py build/cuttle_bench --output build/bench.json $(BENCH_ARGS)

docs:
	@scripts/setup.sh build
	@$(call configure,build) -DCMAKE_BUILD_TYPE=Release
	@$(call build,build) --target cuttle_describe_format
	build/cuttle_describe_format markdown docs/format.md.in > build/format.md && mv build/format.md docs/format.md
	build/cuttle_describe_format robot-schema > docs/schema/cuttle-robot.schema.json
	build/cuttle_describe_format scenario-schema > docs/schema/cuttle-scenario.schema.json

gallery:
	@scripts/setup.sh test
	@$(call configure,build) -DCMAKE_BUILD_TYPE=Release
	@$(call build,build) --target cuttle_tool
	@CUTTLE_TOOL=$(CURDIR)/build/cuttle CUTTLE_MODELS=$(CURDIR)/models CUTTLE_GALLERY=$(CURDIR)/docs/gallery \
	  CUTTLE_NODE_MODULES=$(CURDIR)/build/viewer/node_modules node viewer/tests/run.mjs gallery

SOURCE_DIRS = include src apps examples tests benchmarks
layout:
	@scripts/setup.sh layout
	@find $(SOURCE_DIRS) -name '*.h' -o -name '*.cpp' | xargs clang-format --dry-run -Werror

# Most of clang-tidy's time goes into headers: library and programs are read in groups, once for all instruction sets.
# Tests and benchmarks have to be read one by one.
lint: lint_library
	@$(tidy) '$(CURDIR)/(tests|benchmarks)/'

lint_library: layout
	@scripts/setup.sh lint
	@cmake -S . -B build-lint -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++ -DCUTTLE_BUILD_TESTS=ON \
	  -DCUTTLE_BUILD_BENCHMARKS=ON -DCUTTLE_UNITY=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON $(page)
	@$(tidy) '$(CURDIR)/(src|apps|build-lint/CMakeFiles/cuttle_(objects|baseline|tool|describe_format)[.]dir)/'
tidy = run-clang-tidy -quiet -p build-lint -j $(JOBS)

format:
	@scripts/setup.sh layout
	@find $(SOURCE_DIRS) -name '*.h' -o -name '*.cpp' | xargs clang-format -i

clean:
	rm -rf build build-* out
