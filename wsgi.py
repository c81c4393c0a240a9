"""The WSGI entry point: `granian --interface wsgi wsgi:application`."""

from einvoice import config

config.share_metrics()  # before prometheus_client is imported

from einvoice.app import create_app  # noqa: E402
from einvoice.observability import span_export  # noqa: E402
from einvoice.web.runtime import runtime_of  # noqa: E402

application = create_app()
span_export.start(runtime_of(application).settings)
