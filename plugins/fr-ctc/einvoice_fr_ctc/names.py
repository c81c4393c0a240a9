"""The name of the network, for modules that open no connection."""

from __future__ import annotations

from typing import Final

NETWORK: Final = "fr-ctc"
