# Go, make and git are all this needs. `make help` lists what there is.

GO     ?= go
BINARY := timeout-auditor

# What the binary says about itself. All of it comes from the commit, so that
# the same commit gives the same binary.
VERSION    ?= $(patsubst v%,%,$(shell git describe --tags --match 'v[0-9]*' --dirty 2>/dev/null || echo 0.0.0-dev))
REVISION   ?= $(shell git rev-parse --verify -q HEAD 2>/dev/null || echo unknown)
BRANCH     ?= $(shell git symbolic-ref --short -q HEAD 2>/dev/null || echo HEAD)
BUILD_DATE ?= $(shell TZ=UTC git log -1 --format=%cd --date=format-local:%Y%m%d-%H:%M:%S 2>/dev/null || echo unknown)
STAMP      := github.com/prometheus/common/version
LDFLAGS     = -s -w -X $(STAMP).Version=$(VERSION) -X $(STAMP).Revision=$(REVISION) \
              -X $(STAMP).Branch=$(BRANCH) -X $(STAMP).BuildDate=$(BUILD_DATE)

# The race detector needs a C compiler on most platforms. Go says whether there is one.
RACE       = $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)
TEST_FLAGS ?= -timeout 20m
PACKAGES   ?= ./...
FUZZ_TIME  ?= 10s
IMAGE      ?= $(BINARY):$(VERSION)
DOCKER     ?= docker

SERVERS := prometheus promtool alertmanager amtool thanos victoria-metrics helm
PINS    := prometheus alertmanager thanos victoriametrics golangci-lint helm kubernetes etcd

# Modules under tools with code of their own: ./... does not reach them.
GENERATORS := dashboard

# The parts of check load the machine well enough one after the other.
.NOTPARALLEL:

.PHONY: build
build: ## build the binary, ./timeout-auditor
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags "$(LDFLAGS)" -o $(BINARY) ./cmd/timeout-auditor

.PHONY: test
test: servers ## run all tests, those against real servers too
	$(GO) test $(RACE) $(TEST_FLAGS) $(PACKAGES)
	@for module in $(GENERATORS); do echo "$(GO) -C tools/$$module test ./..."; $(GO) -C tools/$$module test $(TEST_FLAGS) ./... || exit 1; done

# The API server takes minutes to build and a gigabyte or two of module cache,
# so this is no part of check. CI runs it when what it tests has changed.
.PHONY: test-deploy
test-deploy: ## try chart and manifests on a real Kubernetes API server (builds it once: minutes)
	$(GO) run ./tools/build helm kubectl kube-apiserver etcd
	$(GO) test -tags deploy $(TEST_FLAGS) ./deploy/helm ./tools/servers

.PHONY: test-image
test-image: ## build the image with buildah on stand-in bases and run it (root, Linux)
	$(GO) test -tags image $(TEST_FLAGS) -v ./deploy/image

.PHONY: check
check: check-format check-modules check-generated vet lint test ## all that CI runs

.PHONY: servers
servers: ## build the pinned servers into the cache (minutes, once)
	$(GO) run ./tools/build $(SERVERS)

.PHONY: check-format
check-format:
	@files=$$("$$($(GO) env GOROOT)/bin/gofmt" -l .) && if [ -n "$$files" ]; then echo "gofmt these files:"; echo "$$files"; exit 1; fi

.PHONY: check-modules
check-modules:
	$(GO) mod tidy -diff
	@for pin in $(PINS) $(GENERATORS); do echo "$(GO) -C tools/$$pin mod tidy -diff"; $(GO) -C tools/$$pin mod tidy -diff || exit 1; done
	$(GO) mod verify

# Compares the tree before and after, so that it works with uncommitted changes.
.PHONY: check-generated
check-generated:
	@before=$$({ git diff; git status --porcelain; } | git hash-object --stdin) && \
	$(MAKE) --no-print-directory generate && \
	after=$$({ git diff; git status --porcelain; } | git hash-object --stdin) && \
	if [ "$$before" != "$$after" ]; then echo "generated files were out of date, commit these:"; git status --short; exit 1; fi

.PHONY: generate
generate: ## make the generated files again
	$(GO) generate ./...
	$(GO) run ./tools/chart

.PHONY: vet
vet:
	$(GO) vet ./...
	@for module in $(GENERATORS); do echo "$(GO) -C tools/$$module vet ./..."; $(GO) -C tools/$$module vet ./... || exit 1; done
	$(GO) vet -tags deploy,image ./deploy/... ./tools/servers

.PHONY: lint
lint: ## run golangci-lint
	$(GO) run ./tools/build golangci-lint
	@linter=$$($(GO) run ./tools/build --print golangci-lint) && for module in . $(GENERATORS:%=tools/%); do \
		echo "golangci-lint run in $$module"; (cd $$module && "$$linter" run ./...) || exit 1; \
	done

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZ_TIME (10s)
	@packages=$$($(GO) list $(PACKAGES)) || exit 1; \
	for package in $$packages; do \
		targets=$$($(GO) test -list '^Fuzz' $$package) || exit 1; \
		for target in $$(echo "$$targets" | sed -n '/^Fuzz/p'); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZ_TIME) $$package || exit 1; \
		done; \
	done

.PHONY: bench
bench: ## measure what an auditor costs and write docs/performance.md (20 minutes)
	$(GO) run ./bench

.PHONY: microbench
microbench: ## run the Go benchmarks
	$(GO) test -run '^$$' -bench . -benchmem $(PACKAGES)

.PHONY: truth
truth: ## measure how accurate the figures are and write docs/accuracy.md (minutes)
	$(GO) run ./truth

.PHONY: demo
demo: ## run the demo; DEMO_ARGS are its flags
	$(GO) build -o bin/demo ./demo
	bin/demo $(DEMO_ARGS)

.PHONY: screenshots
screenshots: ## take the pictures of the documentation from the demo (minutes, needs Chromium)
	$(GO) build -o bin/demo ./demo
	bin/demo --screenshots docs/images

.PHONY: image
image: ## build the container image
	$(DOCKER) build -t $(IMAGE) --build-arg VERSION=$(VERSION) --build-arg REVISION=$(REVISION) \
		--build-arg BRANCH=$(BRANCH) --build-arg BUILD_DATE=$(BUILD_DATE) .

.PHONY: clean
clean: ## remove what make build made; the cache of servers stays
	rm -f $(BINARY)

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r target text; do printf '%-11s %s\n' "$$target" "$$text"; done
