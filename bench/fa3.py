"""Time of FA(3), the form of KSeF, beside that of BIS Billing: `python -m bench.fa3`.

The same invoice in both forms, in one process, warm; figures are medians. Checking starts from the
bytes and ends with the findings of schema and rules.
"""

import argparse
import time
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import partial

from bench.rules import Clock, medians
from einvoice.documents.profiles import BIS_BILLING
from einvoice.domain.invoice import Identifier, Invoice
from einvoice.domain.profiles import Profile
from einvoice.rules import RuleSets, built_in
from einvoice.validation import Judgement, Light, judge
from einvoice_ksef.fa3.form import PROFILE
from einvoice_ksef.fa3.rules import RULES
from plugins.ksef.tests import polish

SIZES = (2, 100, 1000)
DAY = date(2026, 11, 22)
_RULE_SETS = RuleSets([*built_in(), RULES], BIS_BILLING.rule_set, partial(built_in))


def invoice(lines: int) -> Invoice:
    """An invoice with different lines, of two rates."""
    rates = (polish.category(), polish.category("S", "8"))
    made = (polish.line(f"{100 + n}.00", rates[n % 2], name=f"Towar {n}") for n in range(lines))
    found = polish.invoice(*made)
    return replace(
        found,
        seller=replace(found.seller, endpoint=Identifier("PL5265877635", "9945")),
        buyer=replace(found.buyer, endpoint=Identifier("PL1111111111", "9945")),
        taxes=tuple(replace(tax, tax=_tax(tax.taxable, tax.category.rate)) for tax in found.taxes),
    )


def _tax(amount: Decimal, rate: Decimal | None) -> Decimal:
    return (amount * (rate or 0) / 100).quantize(Decimal("0.01"))


def built(profile: Profile, made: Invoice) -> bytes:
    return profile.write(profile.adapt(made).invoice)


def checked(profile: Profile, document: bytes) -> Judgement:
    found = judge(document, on=DAY, rule_sets=_RULE_SETS, asked=profile.rule_set)
    assert found.light is not Light.RED, found
    return found


def built_and_checked(profile: Profile, made: Invoice) -> Judgement:
    return checked(profile, built(profile, made))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each figure")
    parser.add_argument(
        "--cpu", action="store_true", help="measure processor time, for a busy machine"
    )
    chosen = parser.parse_args()
    clock: Clock = time.process_time if chosen.cpu else time.perf_counter
    print("| lines | FA(3) built and checked | BIS Billing checked | ratio |\n|---|---|---|---|")
    for lines in SIZES:
        made = invoice(lines)
        document = built(BIS_BILLING, made)
        ours, bis = medians(
            [
                partial(built_and_checked, PROFILE, made),
                partial(checked, BIS_BILLING, document),
            ],
            chosen.seconds,
            clock,
        )
        print(f"| {lines:,} | {ours:.2f} ms | {bis:.2f} ms | {ours / bis:.2f} |")


if __name__ == "__main__":
    main()
