"""Time of the rules and of SaxonC running the official XSLT: `python -m bench.rules`.

Both start from the raw bytes of the same document and end with the findings of both layers, in one
process, warm; figures are medians. The documents are the samples with 2, 100 and 1000 lines. A
layer whose official XSLT is not available is left out and named. `--instructions` counts what the
processor executes instead of the time, which other work on the machine hardly changes.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from copy import deepcopy
from decimal import Decimal
from functools import partial
from pathlib import Path

from lxml import etree

from bench import instructions
from einvoice.domain.identifiers import BIS_BILLING_CUSTOMIZATION, XRECHNUNG_CUSTOMIZATION
from tests.oracle import official, sources

Clock = Callable[[], float]
Measure = Callable[[list[Callable[[], object]]], list[float]]
SAMPLES = Path(__file__).resolve().parents[1] / "tests" / "samples"
SIZES = (2, 100, 1000)
EN16931 = b"urn:cen.eu:en16931:2017"
BIS_BILLING, XRECHNUNG, FACTUR_X = "peppol-bis-billing", "xrechnung", "factur-x"
CEN = "en16931"
_OFFICIAL = {
    BIS_BILLING: sources.LAYERS,
    XRECHNUNG: sources.XRECHNUNG,
    FACTUR_X: sources.FACTUR_X,
    CEN: {"UBL": (sources.CEN_UBL,), "CII": (sources.CEN_CII,)},
}

# The names of a line and of its number.
_LINES = {"UBL": "InvoiceLine", "CII": "IncludedSupplyChainTradeLineItem"}
_NUMBERS = {"UBL": "ID", "CII": "LineID"}
_ONE = Decimal(1)
_TAX = Decimal("0.21")
_AMOUNT = re.compile(r"[0-9]+\.[0-9]{2}")


def grown(syntax: str, lines: int) -> bytes:
    """The sample with this number of lines, each with its own name and amounts, and totals."""
    root = etree.parse(SAMPLES / f"good_{syntax.lower()}.xml").getroot()
    originals = [each for each in root.iter() if _local(each) == _LINES[syntax]]
    after = originals[-1]
    for number in range(3, lines + 1):
        copy = deepcopy(originals[_rich(number)])
        next(each for each in copy.iter() if _local(each) == _NUMBERS[syntax]).text = str(number)
        _vary(copy, number)
        after.addnext(copy)
        after = copy
    _total(root, sum(_net(number) * _factor(number) for number in range(1, lines + 1)))
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)


def _rich(number: int) -> int:
    """Which of the two lines to repeat: every tenth is the rich first one."""
    return 0 if number % 10 == 1 else 1


def _net(number: int) -> Decimal:
    return Decimal(50 if _rich(number) else 97)


def _factor(number: int) -> Decimal:
    """The factor on all amounts of a line; amounts keep two decimals."""
    return _ONE if number < 3 else _ONE + Decimal(number % 97) / 100


def _vary(line: etree._Element, number: int) -> None:
    for element in line.iter():
        if _AMOUNT.fullmatch(element.text or ""):
            element.text = f"{Decimal(element.text) * _factor(number):.2f}"
    next(each for each in line.iter() if _local(each) == "Name").text += f" {number}"


def _local(element: etree._Element) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def _total(root: etree._Element, lines: Decimal) -> None:
    """Set the totals for this sum of lines; allowances and charges stay."""
    basis = lines - 10 + 5
    tax = (basis * _TAX).quantize(Decimal("0.01"))
    grand = basis + tax
    due = grand - Decimal("1.82") + Decimal("0.50")
    amounts = {
        "LineExtensionAmount": lines, "LineTotalAmount": lines,
        "TaxExclusiveAmount": basis, "TaxBasisTotalAmount": basis, "TaxableAmount": basis,
        "TaxInclusiveAmount": grand, "GrandTotalAmount": grand,
        "PayableAmount": due, "DuePayableAmount": due,
        "TaxAmount": tax, "CalculatedAmount": tax, "TaxTotalAmount": tax,
    }  # fmt: skip
    groups = ("TaxTotal", "TaxSubtotal", "LegalMonetaryTotal", "ApplicableTradeTax",
              "SpecifiedTradeSettlementHeaderMonetarySummation")  # fmt: skip
    for element in root.iter():
        name = _local(element)
        total = name in amounts and _local(element.getparent()) in groups
        if total and element.get("currencyID", "EUR") == "EUR":
            element.text = f"{amounts[name]:.2f}"
        elif name == "BasisAmount" and _local(element.getparent()) == "ApplicableTradeTax":
            element.text = f"{basis:.2f}"


def medians(actions: list[Callable[[], object]], seconds: float, clock: Clock) -> list[float]:
    """The median time of each action in milliseconds, in turns of a twentieth of a second.

    Turns expose both to the same load; several runs in a turn keep each warm.
    """
    times: list[list[float]] = [[] for _ in actions]
    ends = time.perf_counter() + seconds * len(actions)
    for action in actions:
        action()
    while len(times[0]) < 5 or time.perf_counter() < ends:
        for action, taken in zip(actions, times, strict=True):
            turn = time.perf_counter() + 0.05
            while time.perf_counter() < turn:
                started = clock()
                action()
                taken.append(clock() - started)
    return [statistics.median(taken) * 1000 for taken in times]


def millions(actions: list[Callable[[], object]], seconds: float) -> list[float]:
    """The instructions of each action in millions, the mean of as many runs as the seconds hold.

    As many runs before them are not counted: SaxonC needs some until it is warm.
    """
    found = []
    for action in actions:
        times, ends = 0, time.perf_counter() + seconds
        while times < 5 or time.perf_counter() < ends:
            action()
            times += 1
        _, count = instructions.counted([os.getpid()], partial(_repeat, action, times))
        found.append(count / times / 1e6)
    return found


def _repeat(action: Callable[[], object], times: int) -> None:
    for _ in range(times):
        action()


def as_xrechnung(content: bytes) -> bytes:
    """A grown sample as XRechnung, which wants a post code, and no card beside an account."""
    text = content.decode().replace(BIS_BILLING_CUSTOMIZATION, XRECHNUNG_CUSTOMIZATION)
    card = "ram:ApplicableTradeSettlementFinancialCard"
    text = re.sub(rf"<{card}>.*?</{card}>", "", text)
    head, address, rest = text.partition("<cac:DeliveryLocation>")
    if address:
        city = "<cbc:CityName>Köln</cbc:CityName>"
        rest = rest.replace(city, f"{city}<cbc:PostalZone>50667</cbc:PostalZone>", 1)
        return (head + address + rest).encode()
    head, address, rest = text.partition("<ram:ShipToTradeParty>")
    city = "<ram:CityName>"
    rest = rest.replace(city, f"<ram:PostcodeCode>50667</ram:PostcodeCode>{city}", 1)
    return (head + address + rest).encode()


def ours(syntax: str, rule_set: str) -> Callable[[bytes], bool]:
    """Our engine: whether the document with these bytes has findings."""
    from einvoice import clock
    from einvoice.rules import Layer, Syntax, built_in
    from einvoice.xml import parse

    layers = frozenset({Layer.FACTURX_EN16931}) if rule_set == FACTUR_X else None
    known = {"UBL": Syntax.UBL, "CII": Syntax.CII}
    engine = built_in()[rule_set].on(clock.today()).engine(known[syntax], layers=layers)
    return lambda content: bool(engine.check(parse(content), content).findings)


def available(syntax: str, rule_set: str) -> list[str]:
    """The layers whose official rules are available."""
    layers = []
    for layer in _OFFICIAL[rule_set][syntax]:
        try:
            sources.stylesheet(layer)
        except sources.Unavailable as reason:
            print(f"{layer}: not compared, {reason}")
        else:
            layers.append(layer)
    return layers


def table(measure: Measure, unit: str, rule_set: str) -> None:
    """Print one row for each syntax and size."""
    print(f"syntax  lines    ours {unit}   official {unit}    ratio   official layers")
    for syntax in [name for name, layers in _OFFICIAL[rule_set].items() if layers]:
        layers, check = tuple(available(syntax, rule_set)), ours(syntax, rule_set)
        for lines in SIZES:
            content = grown(syntax, lines)
            if rule_set == XRECHNUNG:
                content = as_xrechnung(content)
            if rule_set in (FACTUR_X, CEN):
                content = content.replace(BIS_BILLING_CUSTOMIZATION.encode(), EN16931)
            if check(content):
                raise SystemExit(f"the {syntax} sample of {lines} lines is not good")
            mine, theirs = measure(
                [partial(check, content), partial(official.verdict, content, layers)]
            )
            print(f"{syntax:6} {lines:6} {mine:10.2f} {theirs:13.1f} {theirs / mine:7.1f}x"
                  f"   {' + '.join(layers)}")  # fmt: skip


_COST = """
import sys, time

def resident():
    with open("/proc/self/statm") as figures:
        return int(figures.read().split()[1]) * 4096 / 2**20

import lxml.etree, datetime, decimal, csv, re, dataclasses  # loaded by the service in any case
before, started = resident(), time.perf_counter()
import einvoice.rules
imported = time.perf_counter() - started
pack = einvoice.rules.built_in()[sys.argv[1]].on(datetime.date.today())
for syntax in (einvoice.rules.Syntax.UBL, einvoice.rules.Syntax.CII):
    if pack.judges(syntax):
        pack.engine(syntax)
compiled = time.perf_counter() - started
print(imported * 1000, compiled * 1000, resident() - before)
"""


def cost(rule_set: str) -> None:
    """Print the time and memory of importing the rules and compiling both engines."""
    command = [sys.executable, "-c", _COST, rule_set]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(5)]
    figures = [[float(figure) for figure in run.stdout.split()] for run in runs]
    imported, compiled, memory = (
        statistics.median(column) for column in zip(*figures, strict=True)
    )
    print(
        f"import {imported:.0f} ms; with both engines compiled {compiled:.0f} ms, {memory:.1f} MiB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="for each figure")
    parser.add_argument(
        "--cpu", action="store_true", help="measure processor time, for a busy machine"
    )
    parser.add_argument(
        "--instructions", action="store_true", help="count millions of instructions with perf"
    )
    parser.add_argument(
        "--rule-set", default=BIS_BILLING, choices=list(_OFFICIAL), help="to measure"
    )
    chosen = parser.parse_args()
    cost(chosen.rule_set)
    if chosen.instructions:
        table(partial(millions, seconds=chosen.seconds), "M ", chosen.rule_set)
        return
    clock = time.process_time if chosen.cpu else time.perf_counter
    table(partial(medians, seconds=chosen.seconds, clock=clock), "ms", chosen.rule_set)


if __name__ == "__main__":
    main()
