# `make help` lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help setup check lint types contracts test golden schemas engine bench-quick bench-pulumi bench wheel clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/ready ## make .venv with fourleaf and all that its tests need (PYTHON=python3.12 picks another interpreter)

$(VENV)/ready: pyproject.toml
	@command -v $(PYTHON) > /dev/null || { echo "$(PYTHON) is not there: install Python 3.11 or newer, or name one: make setup PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "fourleaf needs Python 3.11 or newer, $(PYTHON) is $$($(PYTHON) -V | cut -d' ' -f2): make setup PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $@

check: setup lint types contracts test ## everything that the README calls the tests

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

contracts: setup
	$(BIN)/lint-imports

test: setup
	$(BIN)/pytest

golden: setup ## write the snapshots anew; read the difference before you commit it
	-$(BIN)/pytest -q --snapshot-update --allow-snapshot-deletion tests/test_golden.py tests/test_rule_pages.py tests/test_cli.py tests/components/test_schema.py
	$(BIN)/pytest -q tests/test_golden.py tests/test_rule_pages.py tests/test_cli.py tests/components/test_schema.py

engine: ## build the real programs that proofs run against, into ~/.cache/fourleaf/engine (needs Go; half an hour once)
	$(PYTHON) engines/build.py

schemas: setup ## write the generated schemas anew
	$(BIN)/python -m schemas

bench-quick: setup ## cold start against bare Python, and growth with the size of the spec
	$(BIN)/python -m bench quick

bench-pulumi: setup ## registering 1,000 objects against the bare SDK
	$(BIN)/python -m bench.pulumi

wheel: setup ## build the wheel into dist/
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

clean: ## remove what was made
	rm -rf $(VENV) out dist build
