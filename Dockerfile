# Written and linted without a Docker engine at hand: nobody has built this image yet. Report what you see.
# trixie's Python 3.13 is the newest the locks are installed and tested on. For production pin the image by digest.
FROM python:3.13-slim-trixie AS server
# `otel` adds what sends traces (docs/operation.md).
ARG SET=runtime
WORKDIR /build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy UV_NO_CACHE=1 UV_PYTHON_DOWNLOADS=never

COPY requirements requirements
RUN python -m venv /tools \
 && /tools/bin/pip install --no-deps --only-binary :all: --require-hashes -r requirements/bootstrap.txt -r requirements/build.txt \
 && /tools/bin/uv venv /app \
 && /tools/bin/uv pip sync --python /app/bin/python --require-hashes "requirements/$SET.txt"

COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY src src
COPY migrations migrations

FROM python:3.13-slim-trixie AS web
WORKDIR /build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
# Node.js comes from its locked Python package, npm's packages by the integrity in web/package-lock.json.
COPY requirements/node.txt requirements/node.txt
COPY scripts/node scripts/npm scripts/web scripts/
COPY src/ledgerkit/core/platform/pages/tokens.css src/ledgerkit/core/platform/pages/tokens.css
COPY web web
RUN python -m venv .venv && sh scripts/web build

FROM server AS build
COPY --from=web /build/src/ledgerkit/web/dist src/ledgerkit/web/dist
RUN /tools/bin/uv build --wheel --no-build-isolation --python /tools/bin/python --out-dir /wheel . \
 && /tools/bin/uv pip install --python /app/bin/python --no-deps /wheel/*.whl

FROM python:3.13-slim-trixie
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      ca-certificates fonts-dejavu-core fonts-noto-color-emoji libharfbuzz-subset0 libpango-1.0-0 libpangoft2-1.0-0 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --create-home --home-dir /data --shell /usr/sbin/nologin ledgerkit

COPY --from=build /app /app
COPY --chmod=0755 scripts/docker-entrypoint /usr/local/bin/docker-entrypoint
ENV PATH=/app/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    LEDGERKIT_DATA_DIR=/data \
    LEDGERKIT_HOST=0.0.0.0 \
    LEDGERKIT_PORT=8000 \
    LEDGERKIT_LOG_FORMAT=json
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=2)"]
ENTRYPOINT ["docker-entrypoint"]
CMD ["ledgerkit", "serve"]
