"""The seed of what tests draw: the same in each run, another one in `make test-all`."""

from __future__ import annotations

import os

SEED = int(os.environ.get("EINVOICE_SEED", "20261124"))
