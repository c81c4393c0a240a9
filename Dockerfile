# One image; web, relay, worker and migrate are its commands:
#   docker run … einvoice serve | relay | worker LANE | db upgrade
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY requirements/runtime.txt requirements/runtime.txt
RUN python -m venv /opt/einvoice && \
    /opt/einvoice/bin/pip install --no-cache-dir --require-hashes -r requirements/runtime.txt
COPY . .
RUN /opt/einvoice/bin/pip install --no-cache-dir --no-deps --no-build-isolation . ./plugins/*

FROM python:3.11-slim-bookworm
RUN useradd --system --uid 10001 --home-dir /var/lib/einvoice --create-home einvoice
COPY --from=build /opt/einvoice /opt/einvoice
COPY migrations /opt/einvoice/lib/python3.11/site-packages/migrations
ENV PATH=/opt/einvoice/bin:$PATH \
    EINVOICE_MODE=production \
    EINVOICE_DATA_DIR=/var/lib/einvoice \
    EINVOICE_LISTEN=0.0.0.0:8000
USER einvoice
EXPOSE 8000
STOPSIGNAL SIGTERM
ENTRYPOINT ["einvoice"]
CMD ["serve"]
