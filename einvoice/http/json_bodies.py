"""JSON of others, which may be none, or nested deeper than Python reads.

>>> members_of(b'{"a": 1}'), members_of(b"[1]"), members_of(b"<html>")
({'a': 1}, {}, {})
>>> json_of(b"[1]"), json_of(b"[" * 100_000)
([1], None)
"""

from __future__ import annotations

import json
from typing import Any


def json_of(body: bytes) -> Any:
    """The value in a body; None if there is none that can be read."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def members_of(body: bytes) -> dict[str, Any]:
    """The members of the JSON object in a body; {} for anything else."""
    values = json_of(body)
    return values if isinstance(values, dict) else {}
