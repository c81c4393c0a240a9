"""Roles of the dashboard's users (decisions 10).

>>> Role.MEMBER < Role.ADMIN, Role.OWNER >= Role.ADMIN, Role("viewer") >= Role.MEMBER
(True, True, False)
"""

from __future__ import annotations

from enum import Enum
from functools import total_ordering


@total_ordering
class Role(Enum):
    """In ascending order: each role includes the rights of those before it."""

    VIEWER = "viewer"
    MEMBER = "member"
    ADMIN = "admin"
    OWNER = "owner"

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Role):
            return NotImplemented
        order = list(Role)
        return order.index(self) < order.index(other)

    def __str__(self) -> str:
        return self.value
