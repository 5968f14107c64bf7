# `make help` lists the targets. Only Python 3.11 or later and make are needed to start.
PYTHON ?= python3
RUN ?= sample_runs/digits_pages
BUNDLE ?= paper_bundle/digits_pages/v1.0
JOBS ?= logical
SLOW ?=
MUTATE ?= reportgen/metrics reportgen/stats reportgen/checks

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo test mutants lint docs bench lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.runtime ## Make the environment and build the paper bundle of the sample run
	@.ci/system-packages.sh demo
	$(BIN)/reportgen build $(RUN) -o $(BUNDLE)

test: $(VENV)/.dev ## Install everything the suite needs, then run it with coverage (with the slow tests: SLOW=yes)
	@.ci/system-packages.sh test
	@$(MAKE) --no-print-directory tests/axe/node_modules \
	  || echo "axe-core is not installed: the tests that hold the page against its rules will be skipped"
	PYTHONDONTWRITEBYTECODE= REPORTGEN_TESTS_COVERED=yes $(BIN)/python -m pytest -n $(JOBS) --maxprocesses 8 --dist worksteal $(if $(SLOW),,-m "not slow")

mutants: $(VENV)/.dev ## Change metrics, statistics and checks place by place; list what no test sees (hours; MUTATE=a file)
	@for path in $(MUTATE); do $(BIN)/python -m tests.support.mutants $$path || exit 1; done

lint: $(VENV)/.dev ## Check style (ruff) and types (mypy, strict)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.docs ## Build the site into docs/_build; a warning is an error
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo docs/_build/html/index.html

bench: $(VENV)/.dev ## Run the benchmarks and print what they measure
	@for script in benchmarks/*.py; do echo "$$script"; $(BIN)/python "$$script" || exit 1; done

lock: $(VENV)/.dev ## Choose the releases in .locks/ anew, from the bounds in pyproject.toml (needs uv)
	uv pip compile pyproject.toml --group build \
	  --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --upgrade --quiet -o .locks/runtime.txt
	uv pip compile pyproject.toml --group build --group test --group lint --group docs --constraints .locks/runtime.txt \
	  --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --upgrade --quiet -o .locks/dev.txt
	uv pip compile pyproject.toml --group build --group docs --constraints .locks/dev.txt \
	  --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --upgrade --quiet -o .locks/docs.txt

clean: ## Remove the environment and what was built from it
	rm -rf $(VENV) build dist docs/_build docs/reference/made tests/axe/node_modules

# The rules of accessibility that the tests hold the report's page against.
tests/axe/node_modules: tests/axe/package-lock.json
	npm ci --prefix tests/axe --no-audit --no-fund --silent
	@touch $@

# One stamp per lock file: an environment is made again only when what it is made from has changed.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "reportgen needs Python 3.11 or later; say which one with: make PYTHON=python3.12 …"; exit 1; }
	@.ci/system-packages.sh venv $(PYTHON)
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: .locks/runtime.txt pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes -r .locks/runtime.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.docs: .locks/docs.txt pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes -r .locks/docs.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/.runtime

$(VENV)/.dev: .locks/dev.txt pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes -r .locks/dev.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/.runtime $(VENV)/.docs
