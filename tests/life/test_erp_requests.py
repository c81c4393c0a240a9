"""What programs get wrong is answered so that a person can repair it by the first message."""

from __future__ import annotations

from typing import Any

from einvoice.domain.errors import RequestRefused
from tests.life.dry import a_body, sent
from tests.life.erp_requests import CASES, NOT_ENOUGH, Case


def first_message(case: Case) -> tuple[str, str]:
    """The field and the words of the first error; empty where nothing is refused."""
    body: dict[str, Any] = a_body()
    case.change(body)
    try:
        errors = sent(body).report.errors
    except RequestRefused as refusal:
        found = getattr(refusal, "errors", ())
        if found:
            return found[0].pointer, found[0].message
        return refusal.detail, refusal.detail
    return (
        (errors[0].field or "", f"{errors[0].message} {errors[0].suggestion}")
        if errors
        else ("", "")
    )


def misleading() -> list[tuple[str, str, str]]:
    found = []
    for case in CASES:
        field, words = first_message(case)
        named = case.field.rpartition("/")[2] if field == words else case.field
        if named not in field or case.words not in words:
            found.append((case.name, field, words))
    return found


def test_the_first_message_is_enough():
    assert misleading() == []
    assert len([case for case in CASES if case.name not in NOT_ENOUGH]) >= 45


def test_the_table_has_fifty_requests_and_a_correct_one_is_accepted():
    assert len({case.name for case in CASES}) >= 50
    assert not sent(a_body()).report.errors
