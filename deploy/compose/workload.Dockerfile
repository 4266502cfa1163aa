FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -o /serve ./demo/serve

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /serve /serve
USER 65532:65532
EXPOSE 8000
ENTRYPOINT ["/serve"]
