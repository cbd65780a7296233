# All targets run in .venv. Make creates it on first use, and again when the pins change.
PYTHON ?= python3
BIN := .venv/bin
PEERS := .venv-peers/bin
LOWEST := .venv-lowest/bin
WORKERS ?= 2
DEMO := runs/pyramid-three-passes-demo
# The lowest versions that pyproject.toml allows.
LOWEST_PINS := $(shell sed -nE \
  's/^( +|pettingzoo = \[)"(gymnasium|numba|numpy|pettingzoo)>=([0-9.]+)".*/\2==\3/p' pyproject.toml)
TORCH := $(shell grep '^torch==' constraints.txt)
NOTEBOOKS := $(wildcard notebooks/*.ipynb)
PIP := -m pip --disable-pip-version-check install --quiet

# Each test process uses one thread: threads that spin on few cores make tests ten times slower.
SPREAD := -n auto --maxprocesses $(WORKERS) --dist loadfile
# Compile kernels first: otherwise several test processes would compile the same kernels at once.
WARM := $(BIN)/parlour compile --jobs $(WORKERS)
PYTEST := OMP_NUM_THREADS=1 $(BIN)/pytest $(SPREAD)

# pip prints nothing for minutes without a terminal, so dots show progress. The loop ends with the
# shell that started it.
DOTS := (while sleep 4 && kill -0 $$$$ 2>/dev/null; do printf . >&2; done) &

# How to make "parlour ..." available as the documents write it.
HOW_TO_ACTIVATE = @echo 'To use Parlour in this shell: . .venv/bin/activate    (then: parlour list)' >&2

.DEFAULT_GOAL := help
.PHONY: help install demo test test-all test-lowest test-clients check bench goldens docs pictures docs-site wheel sample clean

install: .venv/.stamp ## create .venv with all dependencies
	$(HOW_TO_ACTIVATE)

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

demo: .venv/.stamp ## train a small agent, compare it with the baselines, plot the comparison
	rm -rf $(DEMO)
	$(BIN)/parlour train pyramid --preset demo --name demo
	$(BIN)/parlour compare pyramid --agents uniform greedy $(DEMO)/seed-0/agent --evaluation-seed demo --out $(DEMO)/compare
	$(HOW_TO_ACTIVATE)

test: .venv/.stamp ## run the tests except slow ones (WORKERS=2)
	$(WARM)
	$(PYTEST)

test-all: .venv/.stamp ## run all tests
	$(WARM)
	$(PYTEST) -m ""

test-lowest: .venv-lowest/.stamp ## run interface and contract tests with the lowest versions, without torch
	OMP_NUM_THREADS=1 $(LOWEST)/python -m pytest $(SPREAD) \
	  tests/interfaces tests/contract --ignore=tests/contract/test_leaks.py  # it plays in a terminal

test-clients: ## run other libraries on Parlour (CLIENT=tianshou for one)
	$(PYTHON) -m benchmarks.clients $(CLIENT)

check: .venv/.stamp ## check format, lint, types, house rules, generated docs, notebooks
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/pytest -q tests/test_house.py
	$(BIN)/python -m parlour.training.cli.docs --check
	$(if $(NOTEBOOKS),$(BIN)/nbstripout --verify $(NOTEBOOKS))

bench: .venv-peers/.stamp ## measure steps per second, also of other libraries
	$(PEERS)/python -m benchmarks.steps --write

goldens: .venv/.stamp ## write the golden playthroughs (GAME=pyramid for one game)
	$(BIN)/python -m tests.golden.make $(GAME)

docs: .venv/.stamp ## write the generated tables
	$(BIN)/python -m parlour.training.cli.docs

pictures: .venv/.stamp ## draw the pictures and films of the documents
	$(BIN)/python -m benchmarks.document_pictures

docs-site: .venv/.docs-stamp ## build the site: build/site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

wheel: .venv/.stamp ## build a wheel with compiled kernels for this platform: dist/
	rm -rf build/kernels build/lib build/bdist.*
	$(BIN)/parlour compile --no-solver --jobs $(WORKERS) --out build/kernels
	PARLOUR_KERNELS=build/kernels $(BIN)/python -m build --wheel --no-isolation

sample: .venv/.stamp ## make the sample dataset of a release: dist/pyramid-sample.tar.gz
	$(BIN)/parlour dataset make pyramid --variant three-passes --agent greedy --episodes 6500 --worlds 32 \
	  --jobs $(WORKERS) --out dist/pyramid-sample
	tar -czf dist/pyramid-sample.tar.gz -C dist pyramid-sample
	@test $$(wc -c < dist/pyramid-sample.tar.gz) -le 10000000 || { \
	  echo 'dist/pyramid-sample.tar.gz must have at most 10 MB' >&2; exit 1; }

clean: ## remove build files and caches; keep .venv and runs/
	rm -rf build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find parlour envs agents training page tests benchmarks research examples -depth -name __pycache__ -exec rm -rf {} +

# $(call venv,FOLDER): create a virtual environment with a supported Python.
define venv
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
  echo 'PYTHON must be 3.11 or newer, got "$(PYTHON)": try make PYTHON=python3.12' >&2; exit 1; }
$(PYTHON) -m venv $(1)
endef

.venv/.stamp: pyproject.toml setup.py constraints.txt
	@echo 'Installing packages into .venv. This takes some minutes, most of them for torch.' >&2
	$(call venv,.venv)
	$(DOTS) $(BIN)/python $(PIP) "$(TORCH)"
	@echo 'Installed torch. Installing the other packages.' >&2
	$(DOTS) $(BIN)/python $(PIP) -c constraints.txt -e ".[dev]"
	@touch $@

.venv/.docs-stamp: .venv/.stamp
	$(DOTS) $(BIN)/python $(PIP) -c constraints.txt -e ".[docs]"
	@touch $@

.venv-lowest/.stamp: pyproject.toml setup.py
	$(call venv,.venv-lowest)
	$(DOTS) $(LOWEST)/python $(PIP) $(LOWEST_PINS) -e ".[pettingzoo]" \
	  hypothesis pytest pytest-xdist
	@touch $@

.venv-peers/.stamp: pyproject.toml setup.py constraints.txt
	$(call venv,.venv-peers)
	$(DOTS) $(PEERS)/python $(PIP) -c constraints.txt -e ".[peers]"
	@touch $@
