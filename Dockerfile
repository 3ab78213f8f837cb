# 记得. Build: docker build -t jide .    Run: see docs/operations.md

FROM python:3.11-slim AS build
WORKDIR /src
RUN python -m venv /opt/jide
COPY requirements.lock ./
RUN /opt/jide/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements.lock
COPY pyproject.toml README.md ./
COPY config config
COPY memory memory
COPY bot bot
COPY adapters adapters
COPY scheduler scheduler
RUN /opt/jide/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps . \
    && /opt/jide/bin/python -m compileall -q -j 0 /opt/jide/lib

FROM python:3.11-slim
ENV PATH=/opt/jide/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    MPLCONFIGDIR=/tmp/matplotlib
RUN useradd --uid 10001 --home-dir /var/lib/jide --create-home --shell /usr/sbin/nologin jide
COPY --from=build /opt/jide /opt/jide
USER jide
WORKDIR /var/lib/jide
VOLUME /var/lib/jide
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/healthz', timeout=4)"]
ENTRYPOINT ["jide"]
CMD ["serve", "--config", "/etc/jide/bot.yaml"]
