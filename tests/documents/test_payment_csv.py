"""Payments in CSV files: amounts and days as people and banks write them."""

from __future__ import annotations

import pytest

from einvoice.documents.csv_table import InvalidCell
from einvoice.documents.payment_csv import amount_of, day_of


@pytest.mark.parametrize(
    "cell", ["1.234", "1,234", "1.005", "12,345.67.8", "5 €", "", "1e3", "9" * 14]
)
def test_an_amount_that_is_none_or_two_is_refused(cell):
    with pytest.raises(InvalidCell):
        amount_of(cell)


@pytest.mark.parametrize("cell", ["2026-02-29", "31.02.2026", "11/21/2026", "1.1.26", "1.1-2026"])
def test_a_day_that_is_none_of_the_calendar_is_refused(cell):
    with pytest.raises(InvalidCell):
        day_of(cell)
