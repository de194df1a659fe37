# The CPU build of torch is not on PyPI: it comes from PyTorch's own CPU index (PyTorch's "Get started" page shows the
# address) with `make setup TORCH_INDEX=<address>`, or from a folder of wheels with TORCH_WHEELS=<folder>; neither is
# needed where pip's own settings lead to it. PYTHON=<interpreter> chooses the Python of a new .venv. ARGS="..." goes to
# the command behind train, test, test-long and lock. A finished set-up holds until cpu.lock or pyproject.toml changes.

export PYTHON TORCH_INDEX TORCH_WHEELS

VENV_PYTHON := .venv/bin/python
STAMP := .venv/.scopeif-$(shell cat requirements/cpu.lock pyproject.toml | sha256sum | cut -d' ' -f1)

.PHONY: help setup train test test-long lint lock clean

help:  ## Show the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

setup: $(STAMP)  ## Create .venv with the pinned CPU stack and this package

$(STAMP):
	@requirements/setup.sh $@

train: setup  ## Train the smoke recipe on the CPU; ARGS adds overrides
	$(VENV_PYTHON) -m scopeif.train recipe=smoke $(ARGS)

test: setup  ## Run the tests, but for the long ones
	$(VENV_PYTHON) -m pytest -n 2 --dist loadfile -m "not long" $(ARGS)

test-long: setup  ## Run the tests that take longer than CI allows, one at a time
	$(VENV_PYTHON) -m pytest -n 0 -m long $(ARGS)

lint: setup  ## Check style and types
	$(VENV_PYTHON) -m ruff check
	$(VENV_PYTHON) -m mypy

lock:  ## Resolve requirements/cpu.in into cpu.lock; ARGS=--upgrade moves the versions
	@requirements/lock.sh $(ARGS)

clean:  ## Remove .venv, caches and build output; runs/ and models/ stay
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
