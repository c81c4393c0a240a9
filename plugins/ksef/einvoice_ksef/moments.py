"""Times in answers of KSeF.

>>> moment("2026-07-11T12:23:56.0154302+00:00").isoformat()
'2026-07-11T12:23:56.015430+00:00'
>>> moment("2026-07-11T12:23:56Z").isoformat()
'2026-07-11T12:23:56+00:00'
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

_FRACTION: Final = re.compile(r"(\.\d{6})\d+")  # .NET writes seven digits


def moment(text: str) -> datetime:
    """The time in UTC. Raises ValueError."""
    found = datetime.fromisoformat(_FRACTION.sub(r"\1", text))
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def moment_or_none(text: object) -> datetime | None:
    """The time; None for what is not one."""
    try:
        return moment(text) if isinstance(text, str) and text else None
    except ValueError:
        return None
