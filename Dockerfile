# One image for web, relay, workers and migration; the command selects which:
#   docker run … einvoice serve | relay | worker LANE | db upgrade
# The rules are compiled (docs/operators.md); --build-arg EINVOICE_COMPILED=0 leaves them plain. All
# are loaded once: in the service each is when the first document needs it.
# PYTHON_IMAGE may have a digest: deploy/pin-images.
ARG PYTHON_IMAGE=python:3.11-slim-bookworm
FROM ${PYTHON_IMAGE} AS build
ARG EINVOICE_COMPILED=1
RUN apt-get update && \
    apt-get install --yes --no-install-recommends gcc libc6-dev && \
    rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY requirements/runtime.txt requirements/build.txt requirements/
RUN python -m venv /opt/einvoice && \
    /opt/einvoice/bin/pip install --no-cache-dir --require-hashes -r requirements/runtime.txt && \
    pip install --no-cache-dir --require-hashes -r requirements/build.txt
COPY . .
RUN pip wheel --no-cache-dir --no-deps --no-build-isolation -w /wheels . ./plugins/* && \
    /opt/einvoice/bin/pip install --no-cache-dir --no-deps /wheels/*.whl && \
    /opt/einvoice/bin/python -c "from einvoice.services import forms; forms.installed_rule_sets().load()"

FROM ${PYTHON_IMAGE}
# What is inside; --build-arg VERSION, REVISION (of the commit) and CREATED (RFC 3339) fill them.
ARG VERSION=0.1.0
ARG REVISION=unknown
ARG CREATED=unknown
LABEL org.opencontainers.image.title="einvoice" \
      org.opencontainers.image.description="e-invoicing service: web, relay, workers and migration" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
# SSL_CERT_FILE below: the PostgreSQL driver has an OpenSSL of its own, without certificates.
RUN test -s /etc/ssl/certs/ca-certificates.crt && \
    groupadd --system --gid 10001 einvoice && \
    useradd --system --uid 10001 --gid 10001 --home-dir /var/lib/einvoice --create-home einvoice && \
    install -d -o einvoice -g einvoice -m 0700 /srv/exports /srv/mails
COPY --from=build /opt/einvoice /opt/einvoice
ENV PATH=/opt/einvoice/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
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
