# `make` alone prints this list; the text after ## on a target's line is its help.

GO      ?= go
BIN     := bin/slop
# The version of Beads that "make bd" builds.
BD_VERSION = v1.3.0
SOURCES  = $(shell find . -name '*.go' -not -path '*/testdata/*' -not -path './.*')
# Packages whose tests know the -update flag: they own goldens or generated pages.
UPDATERS = $(shell find . -name '*_test.go' -not -path '*/testdata/*' -not -path './.*' \
	-exec grep -l 'flag.Bool."update"' {} + | xargs -r -n1 dirname | sort -u)
# What the working tree differs by, as one digest.
TREE_STATE = { git status --porcelain; git diff; } | sha256sum

.DEFAULT_GOAL := help
.PHONY: help demo build test lint bench load generate fmt check-clean bd

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## run the main job on the embedded sample project; ARGS="--yes" answers by itself
	$(BIN) demo $(ARGS)

build: ## build bin/slop
	$(GO) build -trimpath -o $(BIN) ./cmd/slop

test: lint ## everything that CI runs: lint, race tests, each benchmark once
	$(GO) test -race -p 2 -timeout 20m ./...
	$(GO) test -run '^$$' -bench . -benchtime 1x -p 1 ./...

lint: ## gofmt, go vet, staticcheck
	@unformatted="$$(gofmt -l $(SOURCES))"; \
	if [ -n "$$unformatted" ]; then echo "not formatted, run make fmt:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

bench: ## every benchmark at full length
	$(GO) test -run '^$$' -bench . -benchmem -p 1 ./...

load: ## the load tests at full size (minutes, not seconds)
	SLOP_LOAD=full $(GO) test -count=1 -p 1 -timeout 60m ./...

generate: ## rewrite generated pages and goldens
	@test -n "$(UPDATERS)" || { echo "no test knows -update"; exit 1; }
	$(GO) test -count=1 $(UPDATERS) -update

bd: ## build bin/bd, the program behind the bd_* tools, for their tests (minutes; needs a C compiler)
	@mkdir -p bin/.bd
	cd bin/.bd && printf 'module bdtool\n\ngo 1.26\n' > go.mod && $(GO) get -tool github.com/steveyegge/beads/cmd/bd@$(BD_VERSION)
	cd bin/.bd && CGO_ENABLED=1 $(GO) build -tags gms_pure_go -o ../bd github.com/steveyegge/beads/cmd/bd

fmt: ## format every Go file
	gofmt -w $(SOURCES)

check-clean: ## fail if regenerating or formatting would change a file
	@before="$$($(TREE_STATE))"; \
	$(MAKE) --no-print-directory generate fmt || exit 1; \
	after="$$($(TREE_STATE))"; \
	if [ "$$before" != "$$after" ]; then git status --short; echo "generated files were stale"; exit 1; fi
