"""What a PDF costs in time and bytes: `python -m bench.pdf`.

Invoices of 3, 60 and 1,000 lines through `documents/pdf`, each time another invoice, so that the
engine's own cache helps no more than it would in life; medians of one process, warm. First come the
costs of a new process.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from einvoice.documents import pdf
from einvoice.documents.cii import write as cii
from einvoice.documents.reading import invoice_in
from einvoice.documents.ubl import write as ubl
from einvoice.domain.invoice import Invoice, TaxSubtotal, Totals
from tests.documents.pdf.samples import ACME, STANDARD, a_line, an_invoice

NAMES = ("Bearing housing", "Angular gear with torque support, long version", "Seal kit")


def of_lines(count: int) -> Invoice:
    lines = tuple(
        a_line(at, NAMES[at % 3], quantity=Decimal(at % 9 + 1), extension=99 * Decimal(at % 9 + 1))
        for at in range(1, count + 1)
    )
    net = sum((line.extension for line in lines), Decimal("0.00"))
    vat = (net * Decimal("0.21")).quantize(Decimal("0.01"))
    sums = Totals(net, net, net + vat, net + vat, vat)
    return an_invoice(
        lines=lines, totals=sums, taxes=(TaxSubtotal(net, vat, STANDARD),), adjustments=()
    )


def measured(count: int, runs: int, render: Callable[[Invoice], bytes]) -> tuple[float, float]:
    """(median ms, KiB)."""
    invoice, times, made = of_lines(count), [], b""
    for run in range(runs):
        fresh = replace(invoice, number=f"{count}-{run}")
        started = time.perf_counter()
        made = render(fresh)
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times), len(made) / 1024


def printed(invoice: Invoice) -> bytes:
    """As the service does: from the stored document to the PDF."""
    document = ubl.document_xml(invoice)
    return pdf.render(invoice_in(document), ACME, document)


def factur_x(invoice: Invoice) -> bytes:
    return pdf.render_factur_x(invoice, ACME, cii.document_xml(invoice, cii.EN16931))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    first, _ = measured(3, 1, printed)
    print(f"first PDF of a process: {first:.0f} ms (fonts read, template compiled)\n")
    print("| lines | PDF ms | KiB | Factur-X ms | KiB |\n|---|---|---|---|---|")
    for count in (3, 60, 1000):
        repeat = max(3, runs // (1 + count // 200))
        ms, size = measured(count, repeat, printed)
        fx_ms, fx_size = measured(count, repeat, factur_x)
        print(f"| {count:,} | {ms:.0f} | {size:.0f} | {fx_ms:.0f} | {fx_size:.0f} |")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\nPeak memory of the process: {peak:.0f} MiB.")


if __name__ == "__main__":
    main()
