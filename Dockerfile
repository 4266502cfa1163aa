FROM golang:1.26 AS build
WORKDIR /src

# Modules are a layer of their own: it changes only with the requirements.
COPY go.mod go.sum ./
RUN go mod download

COPY . .
ARG VERSION=0.0.0-dev
ARG REVISION=unknown
ARG BRANCH=unknown
ARG BUILD_DATE=unknown
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false \
    -ldflags "-s -w \
    -X github.com/prometheus/common/version.Version=${VERSION} \
    -X github.com/prometheus/common/version.Revision=${REVISION} \
    -X github.com/prometheus/common/version.Branch=${BRANCH} \
    -X github.com/prometheus/common/version.BuildDate=${BUILD_DATE}" \
    -o /timeout-auditor ./cmd/timeout-auditor

FROM gcr.io/distroless/static-debian12:nonroot
ARG VERSION=0.0.0-dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="timeout-auditor" \
      org.opencontainers.image.description="Audits declared timeouts and retries against the latency that Prometheus measures" \
      org.opencontainers.image.source="https://github.com/timeout-auditor/timeout-auditor" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

COPY --from=build /timeout-auditor /timeout-auditor

# The image's user nonroot, by number: Kubernetes can not check that a name is not root.
USER 65532:65532
EXPOSE 10815
ENTRYPOINT ["/timeout-auditor"]
CMD ["run", "--config.file=/etc/timeout-auditor/config.yaml"]
