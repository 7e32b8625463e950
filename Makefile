# Set-up and checks. `make demo` and `make test` do everything on a machine with Python and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LIBRARY := $(VENV)/.kernels
PAGE := src/sculpt/views/static/page.js
PACKAGES := web/node_modules/.package-lock.json

.PHONY: help venv kernels web demo test bounds suites check format docs bench fuzz clean lock

MINUTES ?= 10

help:  ## Show the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  \1\t/' | expand -t 12

venv: $(LIBRARY)  ## Prepare .venv, where .venv/bin/sculpt is the command
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web \
	  || echo "Reports will have no search, no focus and no CSV files. Try again: make web"; fi

$(STAMP): pyproject.toml requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || $(MAKE) --no-print-directory .venv-module
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

# The kernels, compiled ahead of time into the source tree. Without a linker, Numba compiles them when
# they are needed, but the tests that run all forms of kernels fail.
kernels: $(STAMP)  ## Compile the kernels ahead of time
	@command -v $${CC:-cc} >/dev/null || $(MAKE) --no-print-directory .linker
	-$(BIN)/python -m sculpt.kernels.build

$(LIBRARY): $(STAMP) $(wildcard src/sculpt/kernels/*.py src/sculpt/kernels/loops/*.py src/sculpt/kernels/loops/*/*.py)
	@$(MAKE) --no-print-directory kernels
	@$(BIN)/python -m compileall -q src  # so that the first command is as fast as later ones
	@touch $@

# The script of reports. Without Node, `make venv` leaves it out: reports say so, and are complete.
web: $(PAGE)  ## Build the script of reports

$(PAGE): $(PACKAGES) web/build.mjs $(wildcard web/src/*.ts)
	@cd web && npm run --silent build

$(PACKAGES): web/package.json web/package-lock.json
	@command -v npm >/dev/null || $(MAKE) --no-print-directory .node
	@cd web && npm ci --silent --ignore-scripts && touch node_modules/.package-lock.json

.PHONY: .node
.node:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && apt-get install -qq -y --no-install-recommends nodejs npm; \
	else \
	  echo "Node was not found. Install it: sudo apt-get install nodejs npm"; exit 1; \
	fi

# The tests open reports in Chromium: use the installed one, or install Debian's.
.PHONY: .chromium
.chromium:
	@for name in "$${SCULPT_CHROMIUM:-chromium}" chromium-browser google-chrome; do \
	  if command -v "$$name" >/dev/null; then exit 0; fi; \
	done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium; \
	else \
	  echo "Chromium was not found. Install it: sudo apt-get install chromium"; \
	  echo "or set SCULPT_CHROMIUM to an installed one"; exit 1; \
	fi

.PHONY: .linker
.linker:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && apt-get install -qq -y gcc libc6-dev; \
	else \
	  echo "No C compiler found to link the kernels. Install one, then run: make kernels"; \
	fi

# Debian has the venv module in a separate package.
.PHONY: .venv-module
.venv-module:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && apt-get install -qq -y python3-venv; \
	else \
	  echo "Python's venv module is missing. Install it: sudo apt-get install python3-venv"; exit 1; \
	fi

# Spark needs Java 17 or newer: use the installed one, or install Debian's.
.PHONY: .java
.java:
	@java=$${JAVA_HOME:+$$JAVA_HOME/bin/}java; \
	version=$$("$$java" -version 2>&1 | sed -n 's/.*version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p'); \
	if [ "$${version:-0}" -ge 17 ]; then exit 0; fi; \
	if [ -z "$$JAVA_HOME" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && apt-get install -qq -y openjdk-17-jre-headless; \
	else \
	  echo "Java 17 or newer was not found. Install it: sudo apt-get install openjdk-17-jre-headless"; \
	  echo "or set JAVA_HOME to an installed one"; exit 1; \
	fi

demo: $(LIBRARY) .java  ## Propose a schema, check the census example of the paper, make records, then check many files on Spark
	@echo '$$ sculpt init examples/payments/march.csv'
	@$(BIN)/sculpt init examples/payments/march.csv
	@echo
	@echo '$$ sculpt validate examples/census/printed.sculpt examples/census/census.csv'
	@$(BIN)/sculpt validate examples/census/printed.sculpt examples/census/census.csv; \
	  status=$$?; [ $$status -eq 1 ] || { echo "expected exit status 1, got $$status"; exit 1; }
	@echo
	@echo '$$ sculpt validate examples/census/corrected.sculpt examples/census/census.csv'
	@$(BIN)/sculpt validate examples/census/corrected.sculpt examples/census/census.csv
	@echo
	@echo '$$ sculpt run examples/census/tidy.sculpt examples/census/census.csv'
	@$(BIN)/sculpt run examples/census/tidy.sculpt examples/census/census.csv
	@echo
	@rm -rf build/demo && $(BIN)/python examples/stations/generate.py build/demo/data
	@echo '$$ sculpt validate examples/stations/stations.sculpt build/demo/data --violations-to build/demo/violations'
	@$(BIN)/sculpt validate examples/stations/stations.sculpt build/demo/data \
	  --violations-to build/demo/violations > build/demo/report.txt; \
	  status=$$?; grep -v ': valid' build/demo/report.txt; \
	  [ $$status -eq 1 ] || { echo "expected exit status 1, got $$status"; exit 1; }
	@echo
	@echo 'All violations are in build/demo/violations, a Parquet table. Query it with anything that reads Parquet:'
	@echo '$$ .venv/bin/python -c "import pyarrow.parquet as p; t = p.read_table(\"build/demo/violations\");' \
	  'print(t.group_by([\"code\", \"rule\"]).aggregate([([], \"count_all\")]).to_pylist())"'
	@$(BIN)/python -c "import pyarrow.parquet as p; t = p.read_table('build/demo/violations'); print(t.group_by(['code', 'rule']).aggregate([([], 'count_all')]).to_pylist())"
	@echo 'or in Spark: spark.read.parquet("build/demo/violations").groupBy("file").count().show()'

test: $(LIBRARY) $(PAGE) .java .chromium  ## Run the tests
	$(BIN)/python -m pytest -n auto --dist loadgroup

bounds: $(LIBRARY)  ## Run the tests of the compiled kernels with every index checked
	SCULPT_KERNELS=jit NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(VENV)/.bounds \
	  $(BIN)/python -m pytest -n auto tests/engines tests/transform tests/test_corpus.py \
	  tests/checks/test_identities.py tests/checks/test_conditions.py tests/spark/test_first_round.py \
	  -k "jit or bytes or large or identities or threads or dictionaries"

suites: $(LIBRARY)  ## Run the public suites of other systems in ../shared/suites, and write docs/conformance.md
	PYTHONPATH=tools $(BIN)/python -m suites

fuzz: $(LIBRARY)  ## Run all targets of fuzz/ for MINUTES=10
	PYTHONPATH=tests:. $(BIN)/python -m fuzz --minutes $(MINUTES)

check: $(STAMP) $(PACKAGES)  ## Format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd web && npm run --silent check

format: $(STAMP)  ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(LIBRARY) .java  ## Regenerate the generated pages of docs/ and the grammar tables
	$(BIN)/python tools/generate_grammar.py
	$(BIN)/python tools/generate_docs.py
	$(BIN)/python tools/executed_docs.py

coverage: $(LIBRARY) $(PAGE) .java .chromium  ## Run the tests under coverage
	$(BIN)/coverage run -m pytest
	$(BIN)/coverage report

bench: $(LIBRARY) .java  ## Run the benchmarks and record the results
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-bench.txt
	$(BIN)/python benchmarks/install.py
	$(BIN)/python benchmarks/schema_size.py
	$(BIN)/python benchmarks/validate.py
	$(BIN)/python benchmarks/ways.py
	$(BIN)/python benchmarks/tallies.py
	$(BIN)/python benchmarks/limits.py
	$(BIN)/python benchmarks/select_cells.py
	$(BIN)/python benchmarks/reading.py
	$(BIN)/python benchmarks/spark.py
	$(BIN)/python benchmarks/transform.py
	$(BIN)/python benchmarks/report.py
	$(BIN)/python benchmarks/windows.py
	$(BIN)/python benchmarks/why.py
	$(BIN)/python benchmarks/interchange.py
	$(BIN)/python benchmarks/csvw_conversion.py
	$(BIN)/python benchmarks/rml.py
	$(BIN)/python benchmarks/infer.py

lock: $(STAMP)  ## Update the pinned versions of the development tools
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --no-header --no-annotate --upgrade \
	  --python-version 3.11 --group dev --output-file requirements-dev.txt pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --no-header --no-annotate --upgrade \
	  --python-version 3.11 --group bench --output-file requirements-bench.txt pyproject.toml

clean:  ## Remove what was built
	rm -f src/sculpt/kernels/*.so
	rm -rf src/sculpt/views/static web/node_modules
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis htmlcov .coverage
