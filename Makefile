# Everything a person or CI types. A bare Debian 12 needs only this once, as root: apt install make git
.DEFAULT_GOAL := help
.PHONY: help demo test python_env python_test torch_check sanitize sanitize_threads bench deb docs gallery site site_check layout lint lint_library format clean

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
	@echo "make test      install what is missing, build and run all tests          (first time 15 to 25 minutes)"
	@echo "make python_test   the Python package alone: build it and run its tests, in build/python-env"
	@echo "make sanitize  tests of every part with the address and undefined-behavior sanitizers (clang; first time 17 minutes)"
	@echo "make sanitize_threads   tests of batches and live robots with the thread sanitizer (clang; first time 5 minutes)"
	@echo "make bench     benchmarks against MuJoCo and Pinocchio: tables, and build/bench.json   (8 minutes on a quiet machine)"
	@echo "make deb       packages of Debian: library, -dev and tool, in build-deb/*.deb    (6 to 12 minutes)"
	@echo "make docs      write docs/format.md and docs/schema/ again, after a change of the file format"
	@echo "make gallery   a picture of every robot in models/, in docs/gallery   (5 minutes)"
	@echo "make site      the site with all pages, commands, C++ and Python: build/site/html/index.html   (two minutes after a build)"
	@echo "make layout    whether the code is laid out as clang-format does, and pages have fewer long sentences than before;   make format: lay it out"
	@echo "make lint      that, and clang-tidy over everything;  make lint_library: without tests, and whether benchmarks compile"
	@echo "make clean     remove build*/ and out/"

demo:
	@echo "make demo: 1. install missing Debian packages (at most 260 MB of download, 1 to 5 minutes; nothing if all are there)"
	@echo "           2. build Cuttle in build/ (some minutes the first time), and its viewer: npm downloads 100 MB"
	@echo "           3. simulate a hybrid robot, and make a page of it: out/hybrid_arm.html (some seconds)"
	@scripts/setup.sh build
	@$(call configure,build) -DCMAKE_BUILD_TYPE=Release
	@$(call build,build) --target cuttle_tool
	@mkdir -p out
	build/cuttle simulate models/pustina2025/hybrid_arm_scenario.yaml -o out/hybrid_arm.h5 --csv --svg out/hybrid_arm.svg --force
	build/cuttle view out/hybrid_arm.h5 -o out/hybrid_arm.html --no-open --force
	@echo
	@echo "Open out/hybrid_arm.html in a browser: the robot in 3D, and its curves. out/hybrid_arm.svg is a figure of it."
	@echo "Then try:"
	@echo "  build/cuttle live models/examples/tendon_arm.yaml      (pull at its tendons, push it with the mouse)"
	@echo "  build/cuttle check models/pustina2025/hybrid_arm.yaml"
	@echo "  build/cuttle simulate models/pustina2025/hybrid_arm_scenario.yaml -o out/longer.h5 --duration 10"
	@echo "  build/cuttle --help"

# By hand, after `make python_test`: the index's torch is that for CUDA, of over a gigabyte. Any Python of the same version will
# do that has torch, NumPy and pytest.
TORCH_PYTHON ?= build/python-env/bin/python
torch_check:
	@$(TORCH_PYTHON) -c "import torch" || { echo "torch_check: found no torch in $(TORCH_PYTHON)"; exit 1; }
	@PYTHONPATH=build/python $(TORCH_PYTHON) -B -m pytest -q -p no:cacheprovider -k torch python/tests/test_gradients.py

test: python_env
	@$(call configure,build) -DCMAKE_BUILD_TYPE=Release -DCUTTLE_BUILD_TESTS=ON $(python_options)
	@$(call build,build)
	@$(CTEST) --test-dir build

# Debian's Python, whatever stands before it on the path, with what the package and its tests need from the Python index.
PYTHON ?= /usr/bin/python3
python_packages = 'nanobind>=2.4' 'numpy>=1.24' pytest hypothesis matplotlib xarray pyyaml 'gymnasium>=1.0' distributed optuna cma SALib mpi4py \
  'jax>=0.4.34' scipy casadi check-jsonschema
python_options = -DCUTTLE_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/build/python-env/bin/python
python_env:
	@scripts/setup.sh test
	@test -e build/python-env/ready_with_check_jsonschema || { $(PYTHON) -m venv build/python-env && \
	  build/python-env/bin/python -m pip install --quiet --disable-pip-version-check $(python_packages) && touch build/python-env/ready_with_check_jsonschema; }

python_test: python_env
	@$(call configure,build) -DCMAKE_BUILD_TYPE=Release $(python_options)
	@$(call build,build) --target cuttle_python cuttle_python_stub
	@PYTHONPATH=build/python build/python-env/bin/python -B -m pytest -q -p no:cacheprovider python/tests

# $(call sanitized,PACKAGES,DIRECTORY,SANITIZERS,OPTIONS): the tests that tests/sanitizers.cmake chooses. The viewer's page is that of
# `make test`, if it is there. A finding aborts: no test may take it for an exit code that it expects.
page = -DCUTTLE_VIEWER_PAGE=$(wildcard $(CURDIR)/build/viewer/page.html)
sanitizer_options = UBSAN_OPTIONS=print_stacktrace=1:abort_on_error=1 ASAN_OPTIONS=abort_on_error=1 \
  TSAN_OPTIONS=abort_on_error=1:halt_on_error=1:suppressions=$(CURDIR)/tests/tsan.supp
# without optimization most of the time goes into headers and templates, which a group shares
large_groups = -DCUTTLE_UNITY_SIZE=16
define sanitized
@scripts/setup.sh $(1)
@$(call configure,$(2)) $(large_groups) -DCMAKE_BUILD_TYPE=Debug -DCUTTLE_BUILD_TESTS=ON $(page) "-DCUTTLE_SANITIZE=$(3)" $(4)
@$(call build,$(2))
@$(sanitizer_options) $(CTEST) --test-dir $(2) -L sanitize
endef
sanitize:
	$(call sanitized,sanitize,build-sanitize,address;undefined,-DCMAKE_CXX_COMPILER=clang++)

sanitize_threads:
	$(call sanitized,sanitize,build-sanitize-threads,thread,-DCMAKE_CXX_COMPILER=clang++)

bench: python_env
	@scripts/setup.sh bench
	@$(call configure,build) -DCMAKE_BUILD_TYPE=Release -DCUTTLE_BUILD_BENCHMARKS=ON $(python_options)
	@$(call build,build) --target cuttle_bench cuttle_python
	@test -e build/python-env/bench || { build/python-env/bin/python -m pip install --quiet --disable-pip-version-check pin mujoco && \
	  touch build/python-env/bench; }
	@scripts/bench_table.py build/cuttle_bench --output build/bench.json $(BENCH_ARGS)
	@echo
	@PYTHONPATH=build/python build/python-env/bin/python -B python/benchmarks/rigid_engines.py

# In a build of its own, whose prefix is that of packages: where the library goes hangs on it.
deb:
	@scripts/setup.sh deb
	@$(call configure,build-deb) -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_SKIP_INSTALL_RPATH=ON $(page)
	@$(call build,build-deb)
	@cd build-deb && rm -f *.deb && cpack && ls -sh *.deb

docs:
	@scripts/setup.sh build
	@$(call configure,build) -DCMAKE_BUILD_TYPE=Release
	@$(call build,build) --target cuttle_describe_format
	build/cuttle_describe_format markdown docs/format.md.in > build/format.md && mv build/format.md docs/format.md
	build/cuttle_describe_format robot-schema > docs/schema/cuttle-robot.schema.json
	build/cuttle_describe_format scenario-schema > docs/schema/cuttle-scenario.schema.json
	/usr/bin/python3 scripts/make_parts.py docs/schema/cuttle-robot.schema.json > build/parts.py && mv build/parts.py python/cuttle/parts.py

gallery:
	@scripts/setup.sh test
	@$(call configure,build) -DCMAKE_BUILD_TYPE=Release
	@$(call build,build) --target cuttle_tool
	@CUTTLE_TOOL=$(CURDIR)/build/cuttle CUTTLE_MODELS=$(CURDIR)/models CUTTLE_GALLERY=$(CURDIR)/docs/gallery \
	  CUTTLE_NODE_MODULES=$(CURDIR)/build/viewer/node_modules node viewer/tests/run.mjs gallery

# The site opens from disk. `make site_check` makes it without building: what the build would add - help of commands, names
# that are compiled for Python, robots in 3D - is there if build/ has it.
site_packages = 'sphinx>=8' furo myst-parser breathe latex2mathml
site: python_env
	@$(call configure,build) -DCMAKE_BUILD_TYPE=Release $(python_options)
	@$(call build,build) --target cuttle_tool cuttle_python cuttle_python_stub
	@$(MAKE) --no-print-directory site_check

site_check:
	@scripts/setup.sh site
	@test -e build/site-env/ready || { $(PYTHON) -m venv build/site-env && \
	  build/site-env/bin/python -m pip install --quiet --disable-pip-version-check $(site_packages) && touch build/site-env/ready; }
	@build/site-env/bin/python scripts/site/make_site.py --output build/site $(addprefix --tool ,$(wildcard build/cuttle)) \
	  $(patsubst %/_core.pyi,--package %,$(wildcard build/python/cuttle/_core.pyi))
	@$(PYTHON) scripts/site/check_site.py build/site/html

SOURCE_DIRS = include src apps examples tests benchmarks python/src
layout:
	@scripts/setup.sh layout
	@find $(SOURCE_DIRS) -name '*.h' -o -name '*.cpp' | xargs clang-format --dry-run -Werror
	@$(PYTHON) -B scripts/check_names.py
	@$(PYTHON) -B scripts/check_words.py

# Most of clang-tidy's time goes into headers: sources are read in groups, once for all instruction sets.
lint: lint_library
	@$(tidy) '$(CURDIR)/benchmarks/|$(CURDIR)/build-lint/groups/test_|$(CURDIR)/tests/'

# What changed since the commit that .ci/linted names; `make lint_library WHOLE=--whole` reads all, and then that file may name the commit
WHOLE ?=
lint_library: layout
	@scripts/setup.sh lint
	@cmake -S . -B build-lint -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++ -DCUTTLE_BUILD_TESTS=ON \
	  -DCUTTLE_BUILD_BENCHMARKS=ON -DCUTTLE_UNITY=ON $(large_groups) -DCUTTLE_ONE_INSTRUCTION_SET=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON $(page)
	@scripts/sources_to_lint.py build-lint $(WHOLE) > build-lint/sources
	@xargs --no-run-if-empty $(tidy) < build-lint/sources
	@$(tidy) -checks='-*,bugprone-argument-comment' '$(CURDIR)/benchmarks/'  # nothing builds them: one check, to see whether they compile
tidy = run-clang-tidy -quiet -p build-lint -j $(JOBS)

format:
	@scripts/setup.sh layout
	@find $(SOURCE_DIRS) -name '*.h' -o -name '*.cpp' | xargs clang-format -i

clean:
	rm -rf build build-* out
