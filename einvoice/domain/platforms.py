"""The ids by which a platform calls its tenants (decisions 21.1).

>>> is_external_id("customer-17"), is_external_id("a b"), is_external_id("")
(True, False, False)
"""

from __future__ import annotations

import re
from typing import Final

MAX_EXTERNAL_ID: Final = 100
# It is written in a header and in addresses, as it is.
EXTERNAL_ID: Final = r"[A-Za-z0-9][A-Za-z0-9._:@+\-]{0,99}"
_EXTERNAL_ID = re.compile(EXTERNAL_ID, re.ASCII)
MAX_PER_MINUTE: Final = 1_000_000


def is_external_id(text: str) -> bool:
    """Whether a text can be an external id."""
    return _EXTERNAL_ID.fullmatch(text) is not None
