# Everything from a bare checkout. Needs Python 3.11 or newer, git and make; all else goes into .venv.
#
#   make play                          make test
#   make play PYTHON=python3.13        make test TESTS="tests/project/test_names.py -x"
#   make test LOCKED=1                 with exactly the packages of .ci/locked.txt, each known by its hash

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check install

# The first Python that is new enough, or else the one everybody has, which then gets told so.
PYTHON ?= $(or $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $$python && break; done),python3)

ARGS ?=
TESTS ?=
# One more than there are processors, for tests also wait: for servers, browsers and commands.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')

# How the command is called from then on, unless the shell finds it already.
CALLED = command -v kingsburg >/dev/null || \
	echo "Type \`. $(BIN)/activate\` once in your shell: then \`kingsburg\` is the command for all else (or type $(BIN)/kingsburg)."

.DEFAULT_GOAL := help
.PHONY: help play serve studio page page-test firefox test suite test-all slow tables hostile browsers vscode native-long wasm openspiel learners soak edits planted docs lint check figures limits bench locked clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1 \t\2/p' $(MAKEFILE_LIST) | expand -t 16

play: $(VENV)/installed ## sets everything up and starts a game (ARGS="--help" for what it takes)
	@$(CALLED)
	@$(BIN)/kingsburg play $(ARGS); ended=$$?; $(CALLED); exit $$ended

serve: $(VENV)/serving ## sets everything up and opens tables in the browser (ARGS="--help" for what it takes)
	@$(BIN)/kingsburg serve $(ARGS)

studio: $(VENV)/serving ## sets everything up and opens the studio, where rules are written and played in the browser
	@$(BIN)/kingsburg studio $(ARGS)

page: $(VENV)/serving ## a web page that plays without a server, in build/page (needs Node.js; ARGS="--help" for what it takes)
	@command -v wasm-ld >/dev/null && $(BIN)/python -c 'import llvmlite' 2>/dev/null || $(PIP) --editable '.[page]'
	@$(BIN)/kingsburg page --force -o build/page $(ARGS)

page-test: $(VENV)/developing ## makes such a page, plays it in Chromium, and goes on without a network
	EDICT_PAGE=all $(BIN)/python -m pytest -q --timeout 1800 tests/apps/page

firefox: $(VENV)/developing build/puppeteer/ready ## the same page in Firefox, and beside Chromium at one table (needs both, and npm)
	EDICT_PUPPETEER=$(CURDIR)/build/puppeteer/node_modules/puppeteer-core/lib/esm/puppeteer/puppeteer-core.js \
		$(BIN)/python -m pytest -q --timeout 1800 tests/apps/page/test_in_firefox.py

# It drives Firefox as it is, where Playwright wants one of its own.
build/puppeteer/ready:
	mkdir -p build/puppeteer && cd build/puppeteer && npm install --no-audit --no-fund --prefix . puppeteer-core@24
	touch $@

# What is asserted of every change, in minutes: one place for each behaviour, few random examples, the same each time.
# `lint` keeps the contracts of imports and `check` the rules that ship, so no test does that again; they run beside.
test: $(VENV)/developing ## sets everything up, checks code and rules, runs the tests that every change must pass
	@$(MAKE) --no-print-directory --jobs 3 lint check suite || { \
		echo "Not as it must be (see above): style, types or imports (lint), the rules (check) or the tests (suite)." >&2; exit 1; }

# Each file is one worker's, so that what its tests share is made once; what takes longest begins (tests/conftest.py).
# What is marked `slow` is left out: the wheel in an environment of its own, Dask, the games in nonsense one by one, most
# of what is asserted in a browser, what simulates thousands of studies, workers that die again and again. Where a test
# asserts the same of every game or message (marked `sample`), some stand for all, unless TESTS says what to run.
suite: $(VENV)/developing
	$(if $(TESTS),,EDICT_SAMPLED=1 )$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --timeout 300 -m "not slow" $(TESTS)

# The same tests with new random examples and many of them, and what takes minutes by its nature, which the targets
# below run one by one: before a release, and once a night.
test-all: lint check openspiel ## all that there is, in hours: also `slow`, `tables`, `hostile`, `native-long`, `wasm`, `soak`, `browsers`, `edits`
	EDICT_EXAMPLES=all EDICT_HOSTILE=all EDICT_NATIVE=all EDICT_PAGES=all EDICT_BROWSERS=all EDICT_KILLS=200 \
		EDICT_EDITS=$(or $(EDITS),3000) EDICT_TABLES=$(or $(TABLES),2000) EDICT_TABLES_FROM=$(TABLES_FROM) \
		$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --timeout 3000 $(TESTS)

slow: $(VENV)/developing ## the wheel, a cluster, every game in nonsense, browsers: what is marked `slow`
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --timeout 300 -m slow $(TESTS)

tables: $(VENV)/developing ## whole games of people and bots at the table, thousands (TABLES=500 TABLES_FROM=9000: which of them)
	EDICT_TABLES=$(or $(TABLES),2000) EDICT_TABLES_FROM=$(TABLES_FROM) \
		$(BIN)/python -m pytest -n auto --timeout 3000 tests/game/table/test_played_tables.py

hostile: $(VENV)/developing ## every hostile input, also the large ones and the variations that `make test` leaves out
	EDICT_HOSTILE=all $(BIN)/python -m pytest -n auto --timeout 300 tests/hostile

native-long: $(VENV)/developing ## native code against the loop: 10,000 games after every answer, 4,000 random programs
	EDICT_NATIVE=all $(BIN)/python -m pytest -n auto --timeout 3000 tests/runtime/native/test_native.py tests/runtime/native/test_native_parts.py

wasm: $(VENV)/developing ## games in a page (Node, Chromium) against native code, every cell; installs what links WebAssembly (100 MB)
	@command -v wasm-ld >/dev/null || $(PIP) --editable '.[page]'
	EDICT_PAGES=all $(BIN)/python -m pytest -n auto --timeout 3000 tests/runtime/simulation/test_for_pages.py

openspiel: $(VENV)/developing ## installs OpenSpiel (200 MB) and runs its tests of the rules
	@$(PIP) --editable '.[openspiel]'
	$(BIN)/python -m pytest -q --timeout 300 tests/agents/open_spiel/test_open_spiel.py tests/agents/open_spiel/test_learners_page.py

learners: $(VENV)/developing ## installs PyTorch and learners (1 GB and more) and runs the examples that use them
	@$(PIP) --requirement examples/learners/requirements.txt
	$(BIN)/python -m pytest -q --timeout 900 tests/agents/gym/test_examples_of_learners.py

soak: $(VENV)/developing ## kills a server 200 times in the middle of games; nothing may be lost
	EDICT_KILLS=200 $(BIN)/python -m pytest -q tests/apps/web/test_web_killed.py

browsers: $(VENV)/developing ## whole games in four browsers at one table, every game at three sizes, the studio's tutorial
	EDICT_BROWSERS=all $(BIN)/python -m pytest --timeout 1800 tests/apps/web/test_browsers*.py tests/apps/web/test_studio_browser.py

vscode: $(VENV)/developing build/code-server/ready ## the extension in a real VS Code (code-server from npm; needs node, rg, chromium)
	rm -rf build/extension && cp -r editors/vscode build/extension && cd build/extension && npm run package
	CODE_SERVER=$(CURDIR)/build/code-server/package EDICT_VSIX=$(CURDIR)/build/extension/edict-1.0.0.vsix \
		$(BIN)/python -m pytest --timeout 1800 editors/vscode/tests/test_in_vscode.py

# Without its install scripts, which fetch ready-made binaries: what it cannot do without is built, or found, here.
# Of argon2 it needs only that it is there: it hashes passwords, and the test asks for none.
build/code-server/ready:
	rm -rf build/code-server && mkdir -p build/code-server && cd build/code-server && npm pack code-server@4.100.3 && \
		tar xzf code-server-4.100.3.tgz
	for folder in . lib/vscode lib/vscode/extensions; do \
		(cd build/code-server/package/$$folder && npm install --ignore-scripts --omit=dev) || exit 1; done
	cd build/code-server/package/lib/vscode && npm rebuild @vscode/spdlog
	mkdir -p build/code-server/package/lib/vscode/node_modules/@vscode/ripgrep/bin
	ln -sf "$$(command -v rg)" build/code-server/package/lib/vscode/node_modules/@vscode/ripgrep/bin/rg
	echo 'module.exports = { hash: async () => "", verify: async () => false };' \
		> build/code-server/package/node_modules/argon2/argon2.js
	touch $@

edits: $(VENV)/developing ## thousands of random edits: what an editor says is what `check` says
	EDICT_EDITS=$(or $(EDITS),3000) $(BIN)/python -m pytest -q -n auto --timeout 3000 tests/tools/language_service/test_random_edits.py

planted: $(VENV)/developing ## faults planted package by package, and how many the tests find (ARGS="table web --seed 5"); once a night
	@$(PIP) cosmic-ray
	nice -n 10 $(BIN)/python tests/fuzz/planted_faults.py $(ARGS)

docs: $(VENV)/developing ## the documentation as a site: build/site/html/index.html
	$(BIN)/python docs/site/make_site.py

lint: $(VENV)/developing ## style, formatting, types, and which package may import which
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet . || { echo "Format with: $(BIN)/ruff format ." >&2; exit 1; }
	$(BIN)/mypy
	$(BIN)/lint-imports

check: $(VENV)/developing ## the rules of every game and module that ships
	$(BIN)/kingsburg check --strict --shipped

figures: $(VENV)/developing ## which figures of benchmarks/balance.md and edict-bench are older than rules, bots or engine
	$(BIN)/python benchmarks/balance.py --check
	$(BIN)/python benchmarks/edict-bench/edict_bench.py --check

limits: $(VENV)/developing ## how much work checks and edits are, within their limits (in yardsticks); once a night
	$(BIN)/python benchmarks/check.py
	$(BIN)/python benchmarks/typing_rules.py

bench: $(VENV)/developing ## what benchmarks/ measures
	@set -e; for script in $(sort $(wildcard benchmarks/*.py)); do echo "== $$script"; $(BIN)/python $$script $(ARGS); done

locked: ## writes the newest packages and their hashes to .ci/locked.txt, for every system and Python
	@mkdir -p build && $(PYTHON) -m venv build/uv && build/uv/bin/pip install -qq uv
	build/uv/bin/uv pip compile --quiet --upgrade --universal --generate-hashes --no-emit-index-url --extra dev --extra fast \
		--custom-compile-command 'make locked' --output-file .ci/locked.txt pyproject.toml

clean: ## removes what the other commands made
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- the environment; again only when pyproject.toml changed ------------------------------

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Kingsburg needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>/dev/null || echo not there)." >&2; \
		echo "If you have another one: make $(or $(MAKECMDGOALS),play) PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "Making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear $(VENV) || { rm -rf $(VENV); \
		echo "This Python cannot make environments; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@touch $@

$(VENV)/installed: pyproject.toml | $(VENV)/made
	@echo "Installing Kingsburg and what it needs into $(VENV)"
	@$(PIP) --editable '.[fast]' || { \
		echo "llvmlite cannot be had for this Python: bots that think ahead will be slower."; $(PIP) --editable .; }
	@touch $@

$(VENV)/serving: pyproject.toml | $(VENV)/installed
	@echo "Installing what serves tables into $(VENV)"
	@$(PIP) --editable '.[web]'
	@touch $@

$(VENV)/developing: pyproject.toml | $(VENV)/made
	@echo "Installing Kingsburg, what it needs and the tools for its tests into $(VENV)"
ifdef LOCKED
	@$(PIP) --require-hashes --requirement .ci/locked.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
else
	@$(PIP) --editable '.[dev]'
	@$(PIP) --editable '.[fast]' || echo "llvmlite cannot be had for this Python: its tests will be skipped."
endif
	@touch $@ $(VENV)/installed $(VENV)/serving
