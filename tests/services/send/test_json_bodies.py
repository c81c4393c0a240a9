"""Whether two bodies say the same."""

from __future__ import annotations

import pytest

from einvoice.services.send.json_bodies import MAX_VALUES, same_meaning


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[" * 100_000, b'{"a": 1e99999999999999999999}', b'{"a": ' + b"9" * 5000 + b"}",
     b"[" + b"0," * MAX_VALUES + b"0,0]"],
    ids=["nothing", "no JSON", "deep", "exponent", "digits", "values"],
)  # fmt: skip
def test_what_is_not_read_says_the_same_as_nothing(body: bytes) -> None:
    """Without an exception, and without reading more values than a body may have."""
    assert not same_meaning(body, body)
