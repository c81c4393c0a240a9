"""The form of API keys: environment, random part and checksum."""

from __future__ import annotations

import pytest

from einvoice.domain.environments import Environment
from einvoice.security import api_keys


@pytest.mark.parametrize("environment", Environment)
def test_a_new_key_names_its_environment(environment):
    key = api_keys.new(environment)

    assert api_keys.environment_of(key) is environment
    assert key.startswith(f"sk_{environment}_")


@pytest.mark.parametrize("place", range(-6, 0))
def test_a_key_with_another_checksum_is_not_a_key(place):
    """A mistyped key is refused without a query, whichever digit is larger or smaller."""
    key = api_keys.new(Environment.TEST)
    end = len(key) + place
    others = [f"{key[:end]}{digit}{key[end + 1 :]}" for digit in "0Zz" if digit != key[end]]

    assert [api_keys.environment_of(other) for other in others] == [None] * len(others)


def test_a_key_with_another_environment_is_not_a_key():
    """The checksum covers the environment."""
    key = api_keys.new(Environment.TEST)

    assert api_keys.environment_of(key.replace("test", "live")) is None
