"""The catalogue of reason codes is complete and well formed."""

from __future__ import annotations

import re

import pytest

from einvoice.network import reasons
from einvoice.network.reasons import REASONS, Reason, Resolution


def test_every_reason_is_in_the_catalogue_once():
    """The contract refuses a code that is not in the catalogue."""
    constants = [value for value in vars(reasons).values() if isinstance(value, Reason)]

    assert list(REASONS.values()) == constants
    assert len({reason.code for reason in constants}) == len(constants)


@pytest.mark.parametrize("reason", REASONS.values(), ids=str)
def test_a_reason_has_a_code_and_a_sentence(reason):
    """The code for programs, the sentence for people."""
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", reason.code)
    assert reason.words.endswith(".")


@pytest.mark.parametrize(
    ("resolution", "retryable"),
    [(Resolution.FIX, False), (Resolution.RESEND, True), (Resolution.CONTACT_RECEIVER, False)],
)
def test_only_reasons_that_a_resend_may_solve_are_retryable(resolution, retryable):
    """A resend solves neither a wrong document nor a refusal of the receiver."""
    assert Reason("a-code", resolution, "Words.").retryable is retryable
