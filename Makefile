# `make` alone lists the targets. GNU make 3.81 (macOS) is enough; every path is relative, so any directory name will do.
.DEFAULT_GOAL := help
.PHONY: help setup run web web-types web-dev test test-all check check-all check-web lint-web web-packages check-types check-rules check-sources description openapi format texts screenshots bench bench-web eval-categories eval-receipts conformance eval-mcp chaos lock doctor clean
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV PYTHONDONTWRITEBYTECODE

# macOS strips DYLD_ variables on the way through /bin/sh, so they are set on the command itself.
ifeq ($(shell uname -s),Darwin)
LIBRARIES := DYLD_FALLBACK_LIBRARY_PATH=/opt/homebrew/lib:/usr/local/lib:/usr/lib
endif
PYTHON := $(LIBRARIES) .venv/bin/python -P
LEDGERKIT := $(LIBRARIES) .venv/bin/ledgerkit
PYTEST := $(PYTHON) -m pytest
# What takes longest begins first; each one's output comes in one piece.
CHECKS := check-web check-types lint-web check-sources check-rules
IN_PARALLEL = $(MAKE) --no-print-directory -j 2 $(if $(filter output-sync,$(.FEATURES)),--output-sync)
CHECK_MIGRATIONS := $(PYTHON) -m ledgerkit.cli check-migrations
BENCH := $(PYTHON) bench/run.py

# One week between a release and our use of it: most hijacked releases are found and withdrawn sooner.
# The exceptions are the releases that pyproject.toml's floors ask for and that were younger when the floors were set;
# each line may go as soon as a lock made without it resolves.
COOL_DOWN := --exclude-newer '7 days' \
  --exclude-newer-package email-validator=2026-11-15 \
  --exclude-newer-package fastapi=2026-11-19 \
  --exclude-newer-package openai=2026-11-18 \
  --exclude-newer-package sqlalchemy=2026-11-17 \
  --exclude-newer-package typer=2026-11-19
COMPILE := .venv/bin/uv pip compile --quiet --upgrade --universal --generate-hashes --no-emit-index-url \
  --python-version 3.11 --custom-compile-command 'make lock' $(COOL_DOWN)

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' Makefile

setup: ## Make or refresh .venv with everything for development
	@sh scripts/bootstrap dev

run: ## Set up what is needed and serve on http://127.0.0.1:8000 (ARGS="--port 9000")
	@sh scripts/bootstrap runtime
	@sh scripts/web build || echo "ledgerkit: the server runs without the web app" >&2
	@$(LEDGERKIT) serve $(ARGS)

web: ## Build the web app (make run does it too), with Node.js of the machine or of a Python package
	@sh scripts/bootstrap runtime
	@sh scripts/web build

web-types: ## Make the types of the REST interface anew, for an editor of the web app
	@sh scripts/bootstrap dev
	@sh scripts/web types

web-dev: ## Serve the web app from its sources, before a running server (ARGS="--port 5173", LEDGERKIT_URL)
	@sh scripts/bootstrap dev
	@sh scripts/web dev $(ARGS)

test: ## Set up and run the tests on all cores, long series sampled (ARGS="-k paying")
	@sh scripts/bootstrap dev
	@sh scripts/web build
	@$(PYTEST) --workers 4 $(ARGS)

test-all: ## The same with every case of the long series, as CI does
	@sh scripts/bootstrap dev
	@sh scripts/web build
	@$(PYTEST) --workers 4 --whole $(ARGS)

check: ## Lint, formatting, types, layers, architecture, migrations, container files, the web app
	@sh scripts/bootstrap dev
	@$(IN_PARALLEL) $(CHECKS)

check-all: ## The same, and `make openapi` beside it, as CI does
	@sh scripts/bootstrap dev
	@$(IN_PARALLEL) $(CHECKS) openapi

check-web: web-packages description ## The part of it about the web app: types and tests
	@LEDGERKIT_OPENAPI=.venv/openapi.json sh scripts/web check

lint-web: web-packages ## The lint of the web app
	@sh scripts/web lint

web-packages: ## The packages of npm that the web app needs
	@sh scripts/bootstrap dev
	@sh scripts/web packages

check-types: ## The part of it about types
	@sh scripts/bootstrap dev
	$(PYTHON) -m mypy

check-rules: ## Lint, formatting, layers, migrations, container files
	@sh scripts/bootstrap dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/lint-imports
	$(CHECK_MIGRATIONS)
	.venv/bin/hadolint Dockerfile
	@find src -name '*.py' -exec awk 'END { if (FNR > 500) print "long file: " FILENAME ", " FNR " lines" }' {} \;

check-sources: ## The tests that read the sources
	@sh scripts/bootstrap dev
	$(PYTEST) --quiet --durations=0 --durations-min=1 tests/test_architecture.py tests/test_documents.py tests/test_repository.py tests/test_texts.py tests/test_words.py

description: ## Write the OpenAPI description into .venv/openapi.json
	@sh scripts/bootstrap dev
	@$(PYTHON) -m ledgerkit.cli openapi >.venv/openapi.json

openapi: description ## Lint the OpenAPI description, and compile a client of it (needs npm)
	@sh scripts/lint_openapi

format: ## Format the sources and repair what lint can repair
	@sh scripts/bootstrap dev
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

texts: ## Sort and clean the catalogues of texts
	@sh scripts/bootstrap dev
	$(PYTHON) -m ledgerkit.texts.po_files

screenshots: ## Write a picture of every screen into docs/screens (needs chromium)
	@sh scripts/bootstrap dev
	@sh scripts/web build
	@PYTHONPATH=tests $(PYTHON) tests/web/screenshots.py $(ARGS)

bench: ## Measure against raw asyncpg and a bare route, in one run
	@sh scripts/bootstrap dev
	@$(BENCH) $(ARGS)

bench-web: ## Measure the web app in a slow Chromium, with 100,000 invoices (needs chromium)
	@sh scripts/bootstrap dev
	@sh scripts/web build
	@$(PYTHON) bench/web.py $(ARGS)

eval-categories: ## Print how often proposed categories are right, on generated years of expenses
	@sh scripts/bootstrap dev
	@PYTHONPATH=tests $(PYTHON) -m support.reliability

eval-receipts: ## Read generated receipts offline: per field right, null, wrong (ARGS="--images 300")
	@sh scripts/bootstrap dev
	@$(PYTHON) bench/eval_receipts.py $(ARGS)

conformance: ## Run the official MCP suite, MCP Inspector and mcp-remote against a server (docs/conformance.md)
	@sh scripts/bootstrap dev
	@sh scripts/conformance
	@PYTHONPATH=tests $(PYTHON) -m conformance

eval-mcp: ## Evaluate what assistants get over MCP: tasks, repairs, sizes, safety; as goals with LEDGERKIT_AI_* (fails under a bar)
	@sh scripts/bootstrap dev
	@$(PYTEST) --quiet --whole -o faulthandler_timeout=0 --durations=0 --durations-min=60 tests/mcp_evaluation $(ARGS)

chaos: ## Kill server and database while the authority fails, for LEDGERKIT_CHAOS_SECONDS (600)
	@sh scripts/bootstrap dev
	@LEDGERKIT_CHAOS_SECONDS=$${LEDGERKIT_CHAOS_SECONDS:-600} $(PYTEST) --quiet -o faulthandler_timeout=0 tests/live/test_chaos.py $(ARGS)

lock: ## Resolve all dependencies anew, a week behind the newest releases
	@sh scripts/bootstrap lock
	$(COMPILE) requirements/bootstrap.in --output-file requirements/bootstrap.txt
	$(COMPILE) pyproject.toml --extra embedded --extra ocr --output-file requirements/runtime.txt
	$(COMPILE) pyproject.toml --extra embedded --extra ocr --extra otel --constraint requirements/runtime.txt --output-file requirements/otel.txt
	$(COMPILE) pyproject.toml --extra embedded --extra ocr --extra otel --extra s3 --group dev --constraint requirements/otel.txt --output-file requirements/dev.txt
	$(COMPILE) requirements/build.in --constraint requirements/dev.txt --output-file requirements/build.txt
	$(COMPILE) requirements/node.in --output-file requirements/node.txt

doctor: ## Say what this machine has and what it lacks
	@sh scripts/bootstrap runtime
	@$(LEDGERKIT) doctor

clean: ## Remove .venv and all caches; your data directory stays
	rm -rf .venv dist web/node_modules web/src/api/schema.d.ts src/ledgerkit/web/dist src/ledgerkit/web/dist.new .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage
	find src tests migrations -type d -name __pycache__ -prune -exec rm -rf {} +
