# Everything runs from .venv, which is made on first need and whenever the pins change.
PYTHON ?= python3
BIN := .venv/bin
PEERS := .venv-peers/bin
LOWEST := .venv-lowest/bin
WORKERS ?= 2
DEMO := runs/pyramid-three-passes-demo
GYMNASIUM := $(shell sed -n 's/.*"gymnasium>=\([0-9.]*\)".*/\1/p' pyproject.toml)
TORCH := $(shell grep '^torch==' constraints.txt)
NOTEBOOKS := $(wildcard notebooks/*.ipynb)
PIP := -m pip --disable-pip-version-check install --quiet

# Each test process computes on one thread: spinning threads on few cores cost ten times the time.
SPREAD := -n auto --maxprocesses $(WORKERS) --dist loadfile
# Two test processes would compile the same kernels at the same time, each for itself.
WARM := $(BIN)/python -c "from parlour.envs import GAMES; print(*reversed(GAMES))" \
  | xargs -n 1 -P $(WORKERS) $(BIN)/parlour compile
PYTEST := OMP_NUM_THREADS=1 $(BIN)/pytest $(SPREAD)

# pip says nothing for minutes where nobody looks on: a dot shows that it lives. The loop ends with
# the shell that began it.
DOTS := (while sleep 4 && kill -0 $$$$ 2>/dev/null; do printf . >&2; done) &

# What lets "parlour ..." be typed as the documents write it.
HOW_TO_ACTIVATE = @echo 'To use it here: . .venv/bin/activate    (then: parlour list)' >&2

.DEFAULT_GOAL := help
.PHONY: help install demo test test-all test-lowest test-clients check bench goldens docs pictures docs-site clean

install: .venv/.stamp ## make .venv, with everything in it
	$(HOW_TO_ACTIVATE)

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

demo: .venv/.stamp ## train a small agent, hold it against the baselines, draw the picture
	rm -rf $(DEMO)
	$(BIN)/parlour train pyramid --preset demo --name demo
	$(BIN)/parlour compare pyramid --agents uniform greedy $(DEMO)/seed-0/agent --key demo --out $(DEMO)/compare
	$(HOW_TO_ACTIVATE)

test: .venv/.stamp ## the tests, without the slow ones (WORKERS=2)
	$(WARM)
	$(PYTEST)

test-all: .venv/.stamp ## the tests, with the slow ones
	$(WARM)
	$(PYTEST) -m ""

test-lowest: .venv-lowest/.stamp ## shells and contract by the lowest Gymnasium allowed, without torch
	OMP_NUM_THREADS=1 $(LOWEST)/python -m pytest $(SPREAD) \
	  tests/interfaces tests/contract --ignore=tests/contract/test_leaks.py  # it plays at the terminal

test-clients: ## other people's libraries on Parlour, some minutes (CLIENT=tianshou: one)
	$(PYTHON) -m benchmarks.clients $(CLIENT)

check: .venv/.stamp ## format, lint, types, house rules, generated docs, stripped notebooks
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/pytest -q tests/test_house.py
	$(BIN)/python -m parlour.training.cli.docs --check
	$(if $(NOTEBOOKS),$(BIN)/nbstripout --verify $(NOTEBOOKS))

bench: .venv-peers/.stamp ## steps a second, beside the peers
	$(PEERS)/python -m benchmarks.steps --write

goldens: .venv/.stamp ## write the golden playthroughs anew (GAME=pyramid: of one game)
	$(BIN)/python -m tests.golden.make $(GAME)

docs: .venv/.stamp ## write the generated tables anew
	$(BIN)/python -m parlour.training.cli.docs

pictures: .venv/.stamp ## draw the pictures and films that the documents show
	$(BIN)/python -m benchmarks.document_pictures

docs-site: .venv/.stamp ## the documents as a site: build/site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

clean: ## remove what was built, not .venv nor runs/
	rm -rf build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find parlour envs agents training page tests benchmarks research examples -depth -name __pycache__ -exec rm -rf {} +

# $(call venv,FOLDER): a virtual environment on a Python that is new enough.
define venv
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
  echo 'Parlour needs Python 3.11 or newer, "$(PYTHON)" is not: try make PYTHON=python3.12' >&2; exit 1; }
$(PYTHON) -m venv $(1)
endef

.venv/.stamp: pyproject.toml setup.py constraints.txt
	@echo 'installing into .venv: downloads and unpacks packages, torch among them, for some minutes' >&2
	$(call venv,.venv)
	$(DOTS) $(BIN)/python $(PIP) "$(TORCH)"
	@echo 'torch is there; now the rest' >&2
	$(DOTS) $(BIN)/python $(PIP) -c constraints.txt -e ".[dev]"
	@touch $@

# Not the pins, but what pyproject.toml promises.
.venv-lowest/.stamp: pyproject.toml setup.py
	$(call venv,.venv-lowest)
	$(DOTS) $(LOWEST)/python $(PIP) "gymnasium==$(GYMNASIUM)" -e ".[pettingzoo]" \
	  hypothesis pytest pytest-xdist
	@touch $@

.venv-peers/.stamp: pyproject.toml setup.py constraints.txt
	$(call venv,.venv-peers)
	$(DOTS) $(PEERS)/python $(PIP) -c constraints.txt -e ".[peers]"
	@touch $@
