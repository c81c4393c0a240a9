"""A firewall before KSeF refuses the address of the service: no company is blamed for it."""

from __future__ import annotations

import pytest

from tests.networks import refusing
from tests.networks.ksef.selling import sent


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_403_without_a_reason_of_ksef_blames_no_account(seller, service, move):
    """JSON of a security service, a page, nothing: once, and for hours. Documents leave
    minutes after it, and the operator was told."""

    def send(number: str) -> str:
        return sent(seller, number)

    assert refusing.goes_through(seller, service, move, send) == []
