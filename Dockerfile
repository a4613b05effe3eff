# Builds the executable, on the processor that builds. Only /rootfs goes on from here.
FROM --platform=$BUILDPLATFORM node:24-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
COPY src/bun.sh src/
RUN . src/bun.sh && bun install --frozen-lockfile --production
COPY . .
# The processor of the image, which Docker fills in.
ARG TARGETARCH
# What `coffer version` shows, as git is not there: a commit, and its date in seconds since 1970.
ARG COMMIT EPOCH
# Anybody may write to /data, so that the container runs under whatever user it is given; a new volume takes over this
# mode, and its owner, who is the usual user: the server takes it from all others when it starts as its owner.
RUN . src/bun.sh \
  && bun src/release/executable.ts --processor="$TARGETARCH" --commit="$COMMIT" --epoch="$EPOCH" \
  && install -D -m 0755 dist/coffer /rootfs/usr/local/bin/coffer \
  && install -d -m 0777 -o 65532 -g 65532 /volume/data

# glibc, certificates and an unprivileged user; no shell. Nothing of it runs here, so it may be for another processor.
FROM gcr.io/distroless/base-debian12:nonroot@sha256:7f0c72cd138b442ae0deeb69c08b1acf5525439ba251a49ad93c320a061567e5
COPY --from=build /rootfs /
COPY --from=build --chown=65532:65532 /volume /
ENV COFFER_DATA_DIR=/data
VOLUME /data
USER 65532:65532
EXPOSE 2633
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["/usr/local/bin/coffer", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/coffer"]
CMD ["serve"]
