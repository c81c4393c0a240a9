"""Which party of an invoice lacks the number that a VAT category requires of both."""

from __future__ import annotations

from collections.abc import Callable

from einvoice.rules.book import Values
from einvoice.rules.evaluation_errors import EvaluationError
from einvoice.rules.view import View

Has = Callable[[View], bool]


def lacking(seller: Has, buyer: Has, view: View) -> Values:
    """`lacking`: "seller", "buyer" or "both".

    A party whose number cannot be read counts as having one: the rule is violated by the
    other party.
    """
    missing = [name for name, has in (("seller", seller), ("buyer", buyer)) if not _has(has, view)]
    return {"lacking": "both" if len(missing) == 2 else missing[0]} if missing else {}


def _has(has: Has, view: View) -> bool:
    try:
        return view.once(has)
    except EvaluationError:
        return True
