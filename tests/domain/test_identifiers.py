"""Identifiers: which texts are participants (decisions 19.5), and which can be an id at all."""

from __future__ import annotations

from decimal import Decimal

import pytest

from einvoice.domain.errors import InvalidParticipant
from einvoice.domain.identifiers import (
    MAX_ID_LENGTH,
    DocumentTypeId,
    ParticipantId,
    ProcessId,
    is_id,
)

LONGEST = "x" * 130


@pytest.mark.parametrize(
    ("text", "scheme", "value"),
    [
        ("0208:0123456749", "0208", "0123456749"),
        (" 0208:0123456749\n", "0208", "0123456749"),
        ("9999:x", "9999", "x"),  # any four digits are a scheme
        ("0088:a.B-c_d~e:1", "0088", "a.B-c_d~e:1"),
        (f"0088:{LONGEST}", "0088", LONGEST),
    ],
)
def test_a_scheme_and_an_identifier_are_a_participant_id(text, scheme, value):
    assert ParticipantId.parse(text) == ParticipantId(scheme, value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0208",
        "0208:",
        "208:1",
        "00208:1",
        "020x:1",
        "٠٢٠٨:1",  # digits, but not of ASCII
        "0208:1 2",
        "0208:é",
        "0208:1\n2",
        "x0208:1",
        f"0088:{LONGEST}x",
        None,
        208,
        ["0208:1"],
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(InvalidParticipant):
        ParticipantId.parse(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x" * 135, repr("x" * 135)),
        ("x" * 136, f"{'x' * 40!r}… (136 characters, at most 135)"),
        (["x" * 300], "a list"),
        ({"a": {"b": 1}}, "an object"),
        (Decimal("1.5"), "a number"),
        (True, "true or false"),
        (None, "null"),
    ],
)
def test_a_refusal_quotes_the_beginning_of_a_text_and_names_what_is_none(text, shown):
    """Of JSON, which the caller wrote: Python's words for it are not the caller's."""
    with pytest.raises(InvalidParticipant) as refused:
        ParticipantId.parse(text)

    assert str(refused.value).startswith(f"{shown} is not of the form")


@pytest.mark.parametrize("kind", [DocumentTypeId, ProcessId])
@pytest.mark.parametrize(
    ("text", "scheme", "value"),
    [
        ("a::b", "a", "b"),
        ("a::b::2.1", "a", "b::2.1"),
        ("::b", "", "b"),  # as of a message whose type names no scheme
    ],
)
def test_a_stored_type_or_process_is_read_up_to_its_first_colons(kind, text, scheme, value):
    assert kind.parse(text) == kind(scheme, value)
    assert str(kind.parse(text)) == text


@pytest.mark.parametrize("kind", [DocumentTypeId, ProcessId])
def test_a_type_or_process_without_colons_is_refused(kind):
    with pytest.raises(ValueError, match="'a:b' is not of the form"):
        kind.parse("a:b")


def test_the_refusal_is_of_the_class_that_the_caller_names():
    class OfTheBuyer(InvalidParticipant):
        """A refusal of one field."""

    with pytest.raises(OfTheBuyer):
        ParticipantId.parse("", error=OfTheBuyer)


def test_the_canonical_form_is_in_lower_case():
    assert ParticipantId.parse("9925:BE0123456749").canonical == "9925:be0123456749"


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b", True),
        ("0208:" + "1" * 130, True),
        ("x" * MAX_ID_LENGTH, True),
        ("x" * (MAX_ID_LENGTH + 1), False),
        ("caf\u00e9", False),
        ("a\nb", False),
    ],
)
def test_an_id_is_short_printable_ascii(text: str, is_one: bool) -> None:
    assert is_id(text) is is_one
