# Targets for daily work; `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
BIN := .venv/bin
# Bytecode is kept, whatever the environment says: to compile the service costs each start of it,
# and each process of tests, five seconds.
RUN := PYTHONDONTWRITEBYTECODE= PATH=$(CURDIR)/$(BIN):$$PATH

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 18

.PHONY: demo
demo: setup ## start the service and send an invoice (ONESHOT=1: stop at the end; PEPPOL=1: over AS4 too; FILL=1: an account with twelve weeks of documents; MAIL=1: by mail to itself)
	@$(if $(PEPPOL),deploy/install-demo-dns)
	@$(BIN)/einvoice demo $(if $(ONESHOT),--oneshot) $(if $(PEPPOL),--peppol) $(if $(FILL),--fill) $(if $(MAIL),--mail)

.PHONY: setup
setup: .venv/.embedded ## create .venv with the service and the simulator

# A process holds every test that it collects: of a part of them it needs 400 to 690 MB, of all 1,100.
PARTS := tests/web "tests/services plugins" "tests --ignore tests/web --ignore tests/services"
SIDE_BY_SIDE := -n 3 --dist loadfile --no-loadscope-reorder -p tests.memory

.PHONY: test
test: .venv/.dev ## the tests of every change, with real PostgreSQL and Redis
	@deploy/install-test-servers
	@failed=; for part in $(PARTS); do \
		$(RUN) python -m pytest -m "not more and not long and not interop" $(SIDE_BY_SIDE) $$part || failed=1; \
	done; test -z "$$failed"

.PHONY: test-more
test-more: .venv/.dev ## processes, browsers, the second database, slow tests: what CI runs besides `make test`
	@deploy/install-test-servers
	@clients/typescript/prepare
	$(RUN) python -m pytest -m "more and not long and not interop" $(SIDE_BY_SIDE)

.PHONY: test-failed
test-failed: .venv/.dev ## the tests that failed in the last run, one by one
	$(RUN) python -m pytest -m "not long and not interop" --last-failed --last-failed-no-failures none --maxfail 3 -rA --no-header

.PHONY: test-all
test-all: .venv/.dev ## all tests, with fuzzing, the whole corpus and the long crash tests
	@deploy/install-test-servers
	$(RUN) EINVOICE_SEED=$${EINVOICE_SEED:-$$RANDOM} python -m pytest -m "not interop" --hypothesis-profile=explore

.PHONY: fields
fields: .venv/.dev ## write docs/fields.md again: terms, members of a send, elements of documents
	$(RUN) python -m einvoice.web.documentation.fields > docs/.fields && mv docs/.fields docs/fields.md

.PHONY: clients
clients: .venv/.dev ## generate clients/ again from the contract; npm adds the types of TypeScript
	$(RUN) python clients/generate.py

.PHONY: compiled
compiled: .venv/.dev ## compile the rules into build/compiled and test them there, on the whole corpora (needs gcc)
	@tests/compiled/prepare
	@tests/compiled/run

.PHONY: interop
interop: sdk peppol-interop anaf-interop ksef-interop zatca-interop fr-interop keycloak-interop mail-interop ## exercise the service with foreign software

.PHONY: trials
trials: .venv/.dev ## what operators rely on, tried with real servers (install-debian needs root and debootstrap)
	@deploy/install-test-servers
	@deploy/trials/run

.PHONY: sdk
sdk: .venv/.dev ## generate clients in Python, TypeScript and Java from the running service, and run them
	@tests/interop/sdk/prepare
	$(RUN) python -m pytest tests/interop/sdk -m interop -v

.PHONY: peppol-interop
peppol-interop: .venv/.dev ## exchange AS4 messages with phase4 and Oxalis
	@tests/interop/peppol/prepare
	$(RUN) python -m pytest tests/interop/peppol -m interop -v

.PHONY: anaf-interop
anaf-interop: .venv/.dev ## let anafpy use the stand-in of RO e-Factura
	@tests/interop/anaf/prepare
	$(RUN) python -m pytest tests/interop/anaf -m interop -v

.PHONY: zatca-interop
zatca-interop: .venv/.dev ## let fatoority judge and sign documents of Saudi Arabia
	@tests/interop/zatca/prepare
	$(RUN) python -m pytest tests/interop/zatca -m interop -v

.PHONY: ksef-interop
ksef-interop: .venv/.dev ## let EU DSS and openapi-core judge what KSeF gets, and ksef-client use its stand-in
	@tests/interop/ksef/prepare
	$(RUN) python -m pytest tests/interop/ksef -m interop -v

.PHONY: mail-interop
mail-interop: .venv/.dev ## mail through a Postfix and a Dovecot of its own (needs root)
	@. deploy/apt.sh && { [ -x /usr/sbin/postfix ] && [ -x /usr/sbin/dovecot ] || install_packages postfix dovecot-imapd; }
	$(RUN) timeout 600 python -m pytest tests/interop/mail -m interop -v

.PHONY: odoo-interop
odoo-interop: .venv/.dev ## send, follow and book invoices from an installed Odoo (EINVOICE_ODOO)
	$(RUN) timeout 1200 python -m pytest tests/interop/odoo -m interop -v

.PHONY: fr-interop
fr-interop: .venv/.dev ## let openapi-core judge what French platforms get, and pyfrctc use the stand-in
	@tests/interop/fr/prepare
	$(RUN) python -m pytest tests/interop/fr -m interop -v

.PHONY: keycloak-interop
keycloak-interop: .venv/.dev ## log in to the pages at Keycloak, in Chromium
	@tests/interop/keycloak/prepare
	$(RUN) timeout 1800 python -m pytest tests/interop/keycloak -m interop -v

.PHONY: golden
golden: .venv/.dev ## render the golden pages of the PDF; check them before a commit
	$(RUN) python -m tests.documents.pdf.pages

.PHONY: lint
lint: .venv/.dev ## format, ruff, types, import contracts
	$(RUN) ruff format --check .
	$(RUN) ruff check .
	$(RUN) mypy
	$(RUN) lint-imports
	cd plugins/peppol && $(RUN) lint-imports
	cd plugins/gateway && $(RUN) lint-imports
	cd plugins/anaf && $(RUN) lint-imports
	cd plugins/ksef && $(RUN) lint-imports
	cd plugins/mail && $(RUN) lint-imports
	cd plugins/zatca && $(RUN) lint-imports
	cd plugins/fr-ctc && $(RUN) lint-imports

.PHONY: run
run: setup ## start all processes with embedded defaults, without sending an invoice
	@$(BIN)/einvoice demo --quiet

.PHONY: lock
lock: .venv/.dev ## update the lock files in requirements/
	deploy/lock

.venv/bin/python:
	@deploy/make-venv

PIP := $(BIN)/python -m pip install -q --disable-pip-version-check
# The lines of one package in the lock file. dkimpy has no wheel: it is built by the setuptools of
# the lock file, else pip prints a warning about an installation of the old kind.
locked = sed -n '/^$(1)==/,/[^\\]$$/p' requirements/embedded.txt

.venv/.embedded: .venv/bin/python requirements/embedded.txt setup.cfg
	@echo "installing the service (a minute the first time) …"
	@$(PIP) --require-hashes -r <($(call locked,setuptools))
	@$(PIP) --require-hashes --no-deps --no-build-isolation --use-pep517 -r <($(call locked,dkimpy))
	@$(PIP) --require-hashes -r requirements/embedded.txt
	@$(PIP) --no-deps --no-build-isolation -e . -e plugins/loopback -e plugins/peppol -e plugins/gateway -e plugins/anaf -e plugins/ksef -e plugins/mail -e plugins/zatca -e plugins/fr-ctc
	@rm -rf einvoice.egg-info plugins/*/*.egg-info  # stale metadata would hide the installed commands
	@touch $@

.venv/.dev: .venv/.embedded requirements/dev.txt
	@echo "installing the dependencies of tests and lint …"
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@
