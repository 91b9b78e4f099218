# Patchbay in a container: docker build -t patchbay . && docker run -p 3000:3000 -v patchbay:/data --stop-timeout 40 patchbay
# To pin the base images, name them by digest: --build-arg NODE_IMAGE=docker.io/library/node@sha256:…
ARG NODE_IMAGE=docker.io/library/node:22-bookworm-slim
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build \
  && node lib/server/collect-runtime.mjs /runtime/app \
  && install -D "$(command -v node)" /runtime/usr/local/bin/node

FROM ${BASE_IMAGE}
LABEL org.opencontainers.image.title="Patchbay" \
  org.opencontainers.image.description="Model-routing gateway for speech and embeddings" \
  org.opencontainers.image.licenses="MIT"
# The lockfile is in /app, so that scanners can list what the image contains.
COPY --from=build /runtime /
RUN groupadd --gid 10001 patchbay \
  && useradd --uid 10001 --gid patchbay --no-create-home --home-dir /app --shell /usr/sbin/nologin patchbay \
  && install -d -o patchbay -g patchbay -m 0700 /data
ENV NODE_ENV=production \
  PATCHBAY_DATA_DIR=/data
WORKDIR /app
USER 10001:10001
VOLUME /data
EXPOSE 3000
# Node runs as PID 1, without an init: it drains on SIGTERM (PATCHBAY_DRAIN_SECONDS) and leaves no child process behind.
STOPSIGNAL SIGTERM
# Linux connects to 0.0.0.0 and :: by loopback; without HOST, Node connects to localhost.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 CMD ["node", "-e", "\
  const { get } = require(process.env.PATCHBAY_TLS_CERT ? 'https' : 'http'); \
  const { HOST: host, PORT: port } = process.env; \
  const target = { host, port: port || 3000, path: '/api/health/ready', rejectUnauthorized: false }; \
  get(target, (reply) => process.exit(reply.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1));"]
CMD ["node", ".next/patchbay/main.mjs"]
