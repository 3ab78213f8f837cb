# Two commands matter: `make run` and `make test`. Both need Python 3.11+ and a package index, nothing else.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test check install bench soak chaos browser format clean

run: install
	@$(BIN)/jide playground

test: install
	@$(BIN)/pytest -q -n 2

check: install
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/pytest -q -n 2

bench: install
	@$(BIN)/python -m tests.bench

browser: install
	@$(BIN)/pytest -q tests/browser

format: install
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

install: .venv/.installed

.venv/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "记得需要 Python 3.11 或更新的版本；可以用 make PYTHON=python3.12")'
	@echo "正在准备 .venv（第一次要一两分钟）…"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

clean:
	rm -rf .venv build *.egg-info .mypy_cache .ruff_cache .hypothesis
