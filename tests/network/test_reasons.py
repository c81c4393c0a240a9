"""The catalogue of reason codes: permanent, and each says what helps."""

from __future__ import annotations

import re

import pytest

from einvoice.network import reasons
from einvoice.network.reasons import REASONS, Reason, Resolution


def test_every_reason_is_in_the_catalogue_once():
    """A constant that the catalogue forgets would be refused by the contract."""
    constants = [value for value in vars(reasons).values() if isinstance(value, Reason)]

    assert list(REASONS.values()) == constants
    assert len({reason.code for reason in constants}) == len(constants)


@pytest.mark.parametrize("reason", REASONS.values(), ids=str)
def test_a_reason_is_words_and_a_code(reason):
    """The code for programs, the sentence for people."""
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", reason.code)
    assert reason.words.endswith(".")


@pytest.mark.parametrize(
    ("resolution", "retryable"),
    [(Resolution.FIX, False), (Resolution.RESEND, True), (Resolution.CONTACT_RECEIVER, False)],
)
def test_only_what_a_resend_may_clear_is_retryable(resolution, retryable):
    """Sending the same again helps neither a wrong document nor an unwilling receiver."""
    assert Reason("a-code", resolution, "Words.").retryable is retryable
