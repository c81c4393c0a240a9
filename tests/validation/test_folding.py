"""Warnings about unused elements are folded into one finding for people."""

from __future__ import annotations

import pytest

from einvoice.validation import Finding, folded


def unused(number: int, severity: str = "warning") -> Finding:
    return Finding(
        severity, "en16931", f"UBL-CR-{number:03}", "", about=f"cac:Item/cbc:Name{number}"
    )


def test_a_single_warning_keeps_its_rule():
    """With the element it is about, without prefixes."""
    [fold] = folded([unused(7)])

    assert fold.rule_id == "UBL-CR-007"
    assert "Item/Name7 is not part" in fold.message


@pytest.mark.parametrize(("count", "more"), [(2, False), (5, False), (6, True)])
def test_at_most_five_elements_are_named(count, more):
    [fold] = folded([unused(number) for number in range(1, count + 1)])

    assert fold.rule_id == "UBL-CR-*"
    assert fold.message.startswith(f"{count} elements")
    assert "Item/Name5" in fold.message or count < 5
    assert "Item/Name6" not in fold.message
    assert ("1 more" in fold.message) is more


def test_other_findings_are_kept_in_front():
    """An error is never folded, and no warning of another kind."""
    error, other = unused(1, "error"), Finding("warning", "peppol", "PEPPOL-EN16931-R001", "")

    assert [f.rule_id for f in folded([unused(2), error, other])] == [
        "UBL-CR-001",
        "PEPPOL-EN16931-R001",
        "UBL-CR-002",
    ]


def test_without_a_path_the_last_step_of_the_location_is_named():
    """Of the element itself."""
    warning = Finding("warning", "en16931", "CII-SR-001", "", location="/a[1]/ram:Name[2]")

    assert "Name is not part" in folded([warning])[0].message
