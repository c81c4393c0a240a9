"""The Peppol network: the test network for sandbox keys, the production network for live keys.

Both are one implementation; `stages` holds what differs. Like any plugin it imports
einvoice.network and the packages below it, not the service.
"""

from __future__ import annotations

EINVOICE_INTERFACE = 1
