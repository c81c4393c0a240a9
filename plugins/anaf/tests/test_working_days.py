"""An invoice is late after five working days in Romania."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from einvoice import clock
from einvoice_anaf import form, working_days
from plugins.anaf.tests.romanian import romanian_invoice

LAST_DAYS = [
    ("2026-11-20", "2026-11-27"),  # a Friday
    ("2026-11-21", "2026-11-27"),  # a Saturday
    ("2026-11-23", "2026-12-02"),  # the 30th and the 1st are holidays
    ("2026-12-24", "2027-01-04"),  # Christmas and New Year
    ("2026-04-07", "2026-04-16"),  # Easter
    ("2026-05-29", "2026-06-08"),  # Whitsun, and the 1st of June
]


def test_the_last_day_is_the_fifth_working_day_after_the_date():
    found = [(day, str(working_days.last_day(date.fromisoformat(day)))) for day, _ in LAST_DAYS]

    assert found == LAST_DAYS
    assert working_days.last_day(date.max) == date.max


def test_easter_is_that_of_the_orthodox_church():
    found = [str(working_days.orthodox_easter(year)) for year in (2024, 2025, 2026, 2027)]

    assert found == ["2024-05-05", "2025-04-20", "2026-04-12", "2027-05-02"]


@pytest.mark.parametrize(
    ("now", "late"),
    [("2026-11-27T21:59:00", False), ("2026-11-27T22:01:00", True)],  # midnight in Bucharest
)
def test_an_invoice_that_is_sent_later_has_a_warning(monkeypatch, now, late):
    moment = datetime.fromisoformat(now).replace(tzinfo=UTC)
    monkeypatch.setattr(clock, "now", lambda: moment)
    made = replace(romanian_invoice(), issue_date=date(2026, 11, 20))
    found = [each for each in form.PROFILE.adapt(made).warnings if each.code == "sent-late"]

    assert [each.field for each in found] == ["invoice.issueDate"] * late
    assert list(form.PROFILE.remarks(made)) == found
    assert all("2026-11-27" in each.message for each in found)
