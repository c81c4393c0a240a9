"""Connection links: a person of a tenant opens one connection by an address, without a login.

>>> now = datetime(2026, 11, 24)
>>> LinkState.of(used_at=None, revoked_at=None, expires_at=now, now=now)
<LinkState.EXPIRED: 'expired'>
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

SCOPE: Final = "connections:link"

DEFAULT_LASTS, MAX_LASTS = timedelta(days=14), timedelta(days=30)
MAX_OPEN = 100  # per tenant and environment
MAX_ENDED = 100  # that are kept, per tenant and environment
MAX_ATTEMPTS = 20  # forms that are sent by one link, each of which asks the network


class LinkState(StrEnum):
    """Whether a link can be opened."""

    OPEN = "open"
    USED = "used"  # the connection works, or has new consent
    EXPIRED = "expired"
    REVOKED = "revoked"  # by its maker, by a later link, or after too many attempts

    @classmethod
    def of(
        cls,
        *,
        used_at: datetime | None,
        revoked_at: datetime | None,
        expires_at: datetime,
        now: datetime,
    ) -> LinkState:
        """The state of a link at this moment."""
        if used_at is not None:
            return cls.USED
        if revoked_at is not None:
            return cls.REVOKED
        return cls.OPEN if now < expires_at else cls.EXPIRED
