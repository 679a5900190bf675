# Two commands matter: `make run` and `make test`. Everything is built into
# bin/ and .tools/, both ignored by git.

# SIMD vector search; the runtime checks the processor and falls back.
export GOEXPERIMENT := simd

LINT_VERSION    := v2.15.0
TESTSUM_VERSION := v1.13.0
TOOLS           := $(CURDIR)/.tools
VERSION         := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS         := -s -w -X kaoju/internal/app.Version=$(VERSION)

.PHONY: run build test setup lint eval corpus clean help

help: ## List the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

run: build ## Build and start the server on 127.0.0.1:8420
	bin/kaoju serve

build: ## Build bin/kaoju
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/kaoju ./cmd/kaoju

# The tests of the pages wait for a browser most of their time, so they begin
# first, beside the others.
test: setup lint ## Check the format, vet, lint, and run every test with the race detector
	$(TOOLS)/gotestsum --format pkgname -- -race -timeout 10m ./internal/web ./...

setup: $(TOOLS)/golangci-lint-$(LINT_VERSION) $(TOOLS)/gotestsum ## Install what the tests need
	@.ci/setup

lint: $(TOOLS)/golangci-lint-$(LINT_VERSION) ## Check the format, vet and lint
	@test -z "$$(gofmt -l cmd internal)" || { gofmt -l cmd internal; echo "these files are not formatted: run gofmt -w on them"; exit 1; }
	go vet ./...
	$(TOOLS)/golangci-lint-$(LINT_VERSION) run ./...

$(TOOLS)/golangci-lint-$(LINT_VERSION):
	GOEXPERIMENT= GOBIN=$(TOOLS) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	mv $(TOOLS)/golangci-lint $@

$(TOOLS)/gotestsum:
	GOBIN=$(TOOLS) go install gotest.tools/gotestsum@$(TESTSUM_VERSION)

SHARED  ?= ../shared
EVALSETS ?= $(filter-out %/xquad_xling,$(patsubst %/corpus.jsonl,%,$(wildcard $(SHARED)/eval/*/corpus.jsonl))) $(SHARED)/eval/insufficient_zh

eval: build ## Measure retrieval, answers and refusal over the sets in ../shared/eval
	bin/kaoju eval --json bin/eval.json --html bin/eval.html $(EVALSETS)

corpus: ## Read every file of ../shared/corpus and compare with its manifest
	KAOJU_CORPUS=$(abspath $(SHARED)/corpus) go test -count=1 -tags corpus -v ./internal/parse/corpustest

clean: ## Remove what was built
	rm -rf bin .tools
