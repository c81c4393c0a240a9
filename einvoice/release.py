"""The release of the service, as its package, image, command, health and contract name it."""

from __future__ import annotations

from importlib.metadata import version

RELEASE = version("einvoice")
