"""Roles are ordered by their rights."""

from __future__ import annotations

import itertools

import pytest

from einvoice.domain.roles import Role

ASCENDING = [Role.VIEWER, Role.MEMBER, Role.ADMIN, Role.OWNER]


@pytest.mark.parametrize(("one", "other"), [*itertools.product(ASCENDING, repeat=2)])
def test_roles_compare_by_their_rights(one: Role, other: Role) -> None:
    first, second = ASCENDING.index(one), ASCENDING.index(other)

    assert (one < other, one <= other) == (first < second, first <= second)
    assert (one > other, one >= other) == (first > second, first >= second)


def test_a_role_compares_with_roles_only() -> None:
    """A comparison with the role's name is a mistake, not an order."""
    with pytest.raises(TypeError):
        assert Role.ADMIN >= "member"


def test_a_role_is_written_as_in_the_api() -> None:
    assert str(Role.OWNER) == "owner"
