"""The WSGI entry point: `granian --interface wsgi wsgi:application`."""

from einvoice.app import create_app

application = create_app()
