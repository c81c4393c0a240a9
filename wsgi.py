"""The WSGI entry point: `granian --interface wsgi wsgi:application`."""

from einvoice import config

config.share_metrics()  # before prometheus_client is imported

from einvoice.app import create_app  # noqa: E402

application = create_app()
