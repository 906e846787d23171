# The two programs and nothing else: docker build -t avro2trevni . && docker run --rm -v "$PWD:/data" avro2trevni in out
# Files are made by the user of --user; the default is 65532. Temporary files go into the output, or to --temp-dir.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o /bin/ ./cmd/...

FROM scratch
COPY --from=build /bin/convert /bin/trevni /bin/
COPY --from=build /src/LICENSE /LICENSE
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
USER 65532:65532
WORKDIR /data
ENTRYPOINT ["/bin/convert"]
