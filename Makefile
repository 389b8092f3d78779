# Needs Python 3.11 or later with venv, and GNU Make 3.81 or later; everything else is installed in
# .venv. Another Python: make serve PYTHON=python3.13

PYTHON ?= python3
PORT ?= 8000
PYTEST_FLAGS ?=

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# The build backend is pinned too: pip before 25.3 reads the first name for it, later ones the
# second. Relative, since pip splits the value at white space.
export PIP_CONSTRAINT := constraints.txt
export PIP_BUILD_CONSTRAINT := constraints.txt
export NO_MKDOCS_2_WARNING := 1

.NOTPARALLEL:
.PHONY: help serve site test tangle check bench lighthouse clean release-site

help:
	@echo 'make serve    build the site and serve it on http://127.0.0.1:$(PORT)/ (another: PORT=8001)'
	@echo 'make site     build the site into site/'
	@echo 'make test     run every page and every test'
	@echo 'make tangle   write the modules from the pages again'
	@echo 'make check    lint, formatting, types'
	@echo 'make bench    measure speed'
	@echo 'make lighthouse   ask Lighthouse for the scores of three pages; needs npm'
	@echo 'make release-site   put this version of the site beside the earlier ones, on gh-pages'
	@echo 'make clean    remove what was built, but not .venv'

serve: $(VENV)/.site
	$(PY) -m mkdocs serve --strict --dev-addr 127.0.0.1:$(PORT)

site: $(VENV)/.site
	$(PY) -m mkdocs build --strict

test: $(VENV)/.test
	$(PY) -m cubspec.tangle --check
	$(PY) -m pytest $(PYTEST_FLAGS)

tangle: $(VENV)/.site
	$(PY) -m cubspec.tangle

check: $(VENV)/.test
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy

bench: $(VENV)/.test
	@for file in $(filter-out bench/lighthouse.py bench/screenshots.py,$(wildcard bench/*.py)); do \
	  echo "$$file" && $(PY) "$$file" || exit 1; done

# Nothing else needs npm.
lighthouse: site
	$(PY) bench/lighthouse.py site

# Commits to the branch gh-pages and pushes nothing.
release-site: $(VENV)/.release
	export PATH="$(CURDIR)/$(VENV)/bin:$$PATH" && version=`$(PY) -c 'from importlib.metadata import version; print(version("cubspec"))'` && \
	mike deploy --config-file mkdocs-release.yml --update-aliases "$$version" latest && \
	mike set-default --config-file mkdocs-release.yml latest

clean:
	rm -rf site dist build .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find . -path ./$(VENV) -prune -o -name __pycache__ -prune -exec rm -rf {} +

$(PY):
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
	  echo 'cubspec needs Python 3.11 or later, found no $(PYTHON).' >&2; \
	  echo 'Install one, or name it: make serve PYTHON=/path/to/python3' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "cubspec needs Python 3.11 or later, found `$(PYTHON) --version 2>&1` as $(PYTHON)." >&2; \
	  echo 'Name another one: make serve PYTHON=/path/to/python3.12' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo 'cubspec needs the venv module of Python, found none in $(PYTHON).' >&2; \
	  echo 'On Debian and Ubuntu: apt-get install python3-venv' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/.site: pyproject.toml constraints.txt | $(PY)
	$(PIP) --editable '.[site]'
	@touch $@

$(VENV)/.release: pyproject.toml constraints.txt | $(PY)
	$(PIP) --editable '.[site,release]'
	@touch $(VENV)/.site $@

$(VENV)/.test: pyproject.toml constraints.txt | $(PY)
	$(PIP) --editable '.[site,test]'
	@touch $(VENV)/.site $@
