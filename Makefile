# Everything a developer or an operator does daily. `make help` explains it.

SHELL := /bin/sh
.DEFAULT_GOAL := help

BOOTSTRAP := exec sh run/bootstrap.sh
PYTHON := .venv/bin/python
SEXTANT := exec $(PYTHON) -m sextant_run

##@ Running Sextant

.PHONY: up
up: ## Set up what is missing and start everything; Ctrl-C ends it all. DETACH=1: in the background
	@$(BOOTSTRAP) up $(if $(filter-out 0,$(DETACH)),--detach)

.PHONY: status
status: .venv ## Every process with pid, uptime, memory, address and health
	@$(SEXTANT) status

.PHONY: down
down: .venv ## End an installation that runs in the background, packet processing included
	@$(SEXTANT) down

.PHONY: setup
setup: ## The set-up only: prerequisites, .venv, Node packages, console and data plane built
	@$(BOOTSTRAP) setup

.PHONY: reset-password
reset-password: .venv ## Give ACCOUNT (default admin) a new generated password and print it
	@$(SEXTANT) reset-password $(or $(ACCOUNT),admin)

.PHONY: backup
backup: .venv ## Back up the installation, up or down, in FILE (default: backups/ of the data folder), its keys beside it
	@$(SEXTANT) backup $(FILE)

.PHONY: restore
restore: .venv ## Put the backup in FILE back; KEYS: its file of keys; REPLACE=1: throw away what is there
	@$(SEXTANT) restore $(FILE) $(if $(KEYS),--keys $(KEYS)) $(if $(filter-out 0,$(REPLACE)),--replace)

.PHONY: upgrade
upgrade: ## Run by this clone's version what the clone FROM runs; back it up first, and go back where that fails
	@$(BOOTSTRAP) upgrade $(FROM)

##@ Developing

.PHONY: test
test: ## Every suite against real servers; last line 'N passed, N failed'. SUITES="ruff pytest-run": only these
	@$(BOOTSTRAP) test $(SUITES)

.PHONY: lint
lint: ## Linters, type checkers and import contracts (the quick part of `make test`)
	@$(BOOTSTRAP) lint

.PHONY: format
format: ## Format Python, Rust and TypeScript in place
	@$(BOOTSTRAP) format

.PHONY: algorithms
algorithms: python ## Write the domain's enumeration and the table of docs/engine.md from the algorithms that the engine declares
	@$(SEXTANT) algorithms

.PHONY: openapi
openapi: python ## Write docs/openapi.json from the code; the TypeScript types, which are not committed, follow it
	@$(SEXTANT) openapi

.PHONY: bench
bench: ## Print the performance figures (nothing is asserted). BENCH="--help": its arguments
	@$(BOOTSTRAP) bench $(BENCH)

.PHONY: bench-engine
bench-engine: python ## The engine's tables beside goals and peers. BENCH="--write": into docs/engine.md
	@PYTHONPATH=bench exec $(PYTHON) bench/engine $(BENCH)

.PHONY: bench-fleet
bench-fleet: python ## What a thousand hosts cost: plans, lists, telemetry, joining, sign-ins. BENCH="--help": how large
	@PYTHONPATH=bench exec $(PYTHON) bench/fleet $(BENCH)

.PHONY: bench-history
bench-history: python ## What rolling up and reading history cost. BENCH="--help": how large
	@PYTHONPATH=bench exec $(PYTHON) bench/history $(BENCH)

.PHONY: bench-twin
bench-twin: python ## The twin's time and memory beside its goals. BENCH="--write": into docs/twin.md
	@PYTHONPATH=bench exec $(PYTHON) bench/twin $(BENCH)

.PHONY: bench-dataplane
bench-dataplane: python ## The data plane's tables (10 min; sudo for CPU shares). BENCH="--write": into docs/dataplane.md
	@test ! -d dataplane/build || ninja --quiet -C dataplane/build sextant-runner sextant-measure bench/bench-hop
	@PYTHONPATH=bench exec $(PYTHON) bench/dataplane $(BENCH)

.PHONY: bench-validation
bench-validation: python ## The twin beside published measurements. BENCH="--write": into docs/twin.md
	@PYTHONPATH=bench exec $(PYTHON) bench/validation $(BENCH)

.PHONY: bench-octans
bench-octans: python ## Octans' tables on the twin, and here with real packets (over 15 min). BENCH="--write": into docs/octans.md
	@PYTHONPATH=bench exec $(PYTHON) bench/octans $(BENCH)

.PHONY: bench-numasfp
bench-numasfp: python ## NUMASFP on seeded traces, simulated, and its exact step beside peers. BENCH="--write": into docs/numasfp.md
	@PYTHONPATH=bench exec $(PYTHON) bench/numasfp $(BENCH)

.PHONY: bench-coco
bench-coco: python ## CoCo's exact placement beside peers, and its paper's placements, computed. BENCH="--write": into docs/coco.md
	@PYTHONPATH=bench:bench/dataplane exec $(PYTHON) bench/coco $(BENCH)

.PHONY: bench-srv6
bench-srv6: python ## Measured packets beside plain IPv6 and the kernel's SRv6 (over an hour, as root). BENCH="--write": into docs/srv6.md
	@PYTHONPATH=bench:bench/dataplane:. exec $(PYTHON) bench/srv6 $(BENCH)

.PHONY: bench-sfc2cpu
bench-sfc2cpu: python ## sfc2cpu's assigners, computed; with BENCH="--only real" on two real cores, as root. "--write": into docs/sfc2cpu.md
	@PYTHONPATH=bench:bench/dataplane exec $(PYTHON) bench/sfc2cpu $(BENCH)

.PHONY: sizes
sizes: python ## Lines of every part, and tests to code. BENCH="--write": into docs/architecture.md
	@PYTHONPATH=bench exec $(PYTHON) bench/sizes.py $(BENCH)

.PHONY: release
release: .venv ## Give all of Sextant the number in VERSION: checks the change log, writes, commits, tags; pushes nothing
	@$(SEXTANT) release $(VERSION)

.PHONY: clean
clean: ## Remove what can be made again (.venv, builds, caches); the data folder stays
	@rm -rf .venv frontend/node_modules frontend/dist frontend/src/api/*.gen.ts client/src/sextant_client/generated e2e/node_modules dataplane/build \
		engine/target engine/src/sextant_engine/_core.abi3.so twin/target twin/src/sextant_twin/_core.abi3.so \
		.mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache test-results
	@find . -name __pycache__ -type d -not -path './.data/*' -prune -exec rm -rf {} +

.PHONY: help
help: ## This page
	@awk 'BEGIN { FS = ":.*## "; print "make TARGET [VARIABLE=value]" } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' Makefile
	@printf '\nVariables (environment or command line)\n'
	@printf '  %-26s %s\n' \
		SEXTANT_PORT 'port of the console on 127.0.0.1 (default 8080, or the next free one; 0: any free one)' \
		SEXTANT_DATA_DIR 'the data folder (default .data): databases, certificates, logs, password' \
		SEXTANT_HOST_ID "this machine's name in the fleet (default: its host name)" \
		SEXTANT_FLEET_ADDRESS 'IPv4 address of this machine at which further hosts reach it (default: none, 127.0.0.1)' \
		SEXTANT_DEMO_HOSTS 'how many simulated hosts stand beside this machine (default 4; 0: none)' \
		SEXTANT_LAB_HOSTS 'how many hosts in namespaces of this machine have packets that measure themselves (default 4 for root, where it can)' \
		SEXTANT_LAB_TOPOLOGY 'the file that says how those hosts are joined (default: a diamond of four)' \
		SEXTANT_AGENT_SHARED_CORES 'never: one NF a core on this machine, below 8 CPUs, too (default small-hosts)' \
		SEXTANT_FIRST_PROFILES '0: what NF types carry alone is not measured on this machine after the start' \
		SEXTANT_DATAPLANE '0: this machine processes no packets, and needs no DPDK; only simulated hosts are in the fleet' \
		DATABASE_URL 'a PostgreSQL of yours instead of the embedded one' \
		REDIS_URL 'a Redis or Valkey of yours instead of the embedded one' \
		DETACH 'with up: 1 = in the background' \
		SUITES 'with test: names of suites (default all)' \
		ACCOUNT 'with reset-password: whose (default admin)' \
		'FILE, KEYS, REPLACE' 'with backup and restore: the backup, its file of keys, 1 = throw away what is there' \
		FROM 'with upgrade: the clone whose version runs now' \
		VERSION 'with release: MAJOR.MINOR.PATCH'

.PHONY: python
python:
	@sh run/bootstrap.sh python

.venv:
	@echo "Sextant is not set up here yet. Next: make up" >&2; exit 1
