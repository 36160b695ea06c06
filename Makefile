# Everything here only calls setup/ and ./nullius.
PYTHON ?= python3
PROFILE ?= standard
EXPERIMENT ?=
FULL := $(if $(filter full,$(PROFILE)),--full)

.PHONY: help setup reproduce bench kernels fuzz test paper site serve lab doctor clean bundle publish
.DEFAULT_GOAL := help

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' Makefile | expand -t 12
	@echo; echo 'PROFILE=quick|standard|full, EXPERIMENT="accept chain", PYTHON=python3.11, LAB=--no-browser, FUZZ_TIME=1m'

setup: ## bring everything the project needs into its own folders
	@$(PYTHON) setup/setup.py $(FULL)

reproduce: setup ## measure, execute the notebooks, write the pages, print the ledger
	@./nullius reproduce $(EXPERIMENT) --profile $(PROFILE)

kernels: ## the timeline: Debian's kernels from 5.10 to the newest, fetched and measured
	@$(PYTHON) setup/setup.py --kernels $(FULL)
	@./nullius run kernels --profile $(PROFILE)

bench: setup ## our codec and server beside their peers, as ratios with intervals
	@./nullius bench

fuzz: setup ## fuzz the codec, the servers and the loader, FUZZ_TIME=1m for each of eleven tests
	@$(MAKE) --no-print-directory -C native/zap fuzz GO=$(CURDIR)/.cache/bin/go

test: ## all tests, and a last line that counts them
	@$(PYTHON) setup/setup.py --test
	@$(PYTHON) setup/test.py

paper: setup ## write the pages from the newest run, or from data/reference
	@./nullius render

site: ## the whole site under build/site, to be put on a server
	@$(PYTHON) setup/setup.py --browser
	@./nullius site

bundle: setup ## the articles for other blogs under build/bundle: Hugo page bundles and plain Markdown
	@./nullius bundle

publish: ## put the site at DEST: a folder, host:path or git:branch; what was there stays until all of it is
	@$(PYTHON) setup/setup.py --browser
	@./nullius publish "$(DEST)"

serve: setup ## show the site on http://localhost:8000, and show it anew when a source changes
	@./nullius serve

lab: setup ## open the notebooks in JupyterLab
	@cd notebooks && exec ../.venv/bin/python -m jupyterlab $(if $(filter 0,$(shell id -u)),--allow-root) $(LAB)

doctor: ## what is needed, found, missing, and the remedy
	-@$(PYTHON) setup/setup.py
	@./nullius doctor

clean: ## remove everything that setup and builds made; never data/runs
	@rm -rf .venv .cache node_modules pipeline/node_modules pipeline/build native/build build
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
