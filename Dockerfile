# One image for web, relay, workers and migration; the command selects which:
#   docker run … einvoice serve | relay | worker LANE | db upgrade
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY requirements/runtime.txt requirements/runtime.txt
RUN python -m venv /opt/einvoice && \
    /opt/einvoice/bin/pip install --no-cache-dir --require-hashes -r requirements/runtime.txt
COPY . .
RUN /opt/einvoice/bin/pip install --no-cache-dir --no-deps --no-build-isolation . ./plugins/*

FROM python:3.11-slim-bookworm
RUN groupadd --system --gid 10001 einvoice && \
    useradd --system --uid 10001 --gid 10001 --home-dir /var/lib/einvoice --create-home einvoice && \
    install -d -o einvoice -g einvoice -m 0700 /srv/exports
COPY --from=build /opt/einvoice /opt/einvoice
ENV PATH=/opt/einvoice/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    EINVOICE_MODE=production \
    EINVOICE_DATA_DIR=/var/lib/einvoice \
    EINVOICE_LISTEN=0.0.0.0:8000
# Numeric, so that Kubernetes can verify that it is not root.
USER 10001:10001
WORKDIR /var/lib/einvoice
EXPOSE 8000
STOPSIGNAL SIGTERM
ENTRYPOINT ["einvoice"]
CMD ["serve"]
