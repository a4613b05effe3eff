# Builds the executable. Only /rootfs goes on from here.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
COPY src/bun.sh src/
RUN . src/bun.sh && bun install --frozen-lockfile --production
COPY . .
# What `coffer version` shows, as git is not there: a commit, and its date in seconds since 1970.
ARG COMMIT EPOCH
# Anybody may write to /data, so that the container runs under whatever user it is given; a new volume
# takes this mode over.
RUN . src/bun.sh && bun src/build.ts --commit="$COMMIT" --epoch="$EPOCH" \
  && install -D -m 0755 dist/coffer /rootfs/usr/local/bin/coffer \
  && install -d -m 0777 /rootfs/data

# glibc, certificates and an unprivileged user; no shell.
FROM gcr.io/distroless/base-debian12
COPY --from=build /rootfs /
ENV COFFER_DATA_DIR=/data
VOLUME /data
USER 65532:65532
EXPOSE 2633
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["/usr/local/bin/coffer", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/coffer"]
CMD ["serve"]
