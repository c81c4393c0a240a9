"""Measure time and size of PDFs: `python -m bench.pdf`.

Renders invoices of 3, 60 and 1,000 lines, a different one each time, so that typst's cache has no
more effect than in production; medians of one warm process. CPU time is the main figure because it
depends least on other load.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
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


@dataclass(frozen=True)
class Cost:
    cpu_ms: float
    ms: float
    kib: float

    def __str__(self) -> str:
        return f"{self.cpu_ms:,.0f} | {self.ms:,.0f} | {self.kib:.0f}"


def measured(count: int, runs: int, render: Callable[[Invoice], bytes]) -> Cost:
    """Median wall time, CPU time and size."""
    invoice, cpu, wall, made = of_lines(count), [], [], b""
    for run in range(runs):
        fresh = replace(invoice, number=f"{count}-{run}")
        started, worked = time.perf_counter(), time.process_time()
        made = render(fresh)
        cpu.append((time.process_time() - worked) * 1000)
        wall.append((time.perf_counter() - started) * 1000)
    return Cost(statistics.median(cpu), statistics.median(wall), len(made) / 1024)


def printed(invoice: Invoice) -> bytes:
    """Render the stored document, as the service does."""
    document = ubl.document_xml(invoice)
    return pdf.render(invoice_in(document), ACME, document)


def factur_x(invoice: Invoice) -> bytes:
    return pdf.render_factur_x(invoice, ACME, cii.document_xml(invoice, cii.EN16931))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    first = measured(3, 1, printed)
    print(f"First PDF of a process: {first.cpu_ms:.0f} ms (fonts read, template compiled).\n")
    print("| lines | PDF: CPU ms | ms | KiB | Factur-X: CPU ms | ms | KiB |")
    print("|---|---|---|---|---|---|---|")
    for count in (3, 60, 1000):
        repeat = max(3, runs // (1 + count // 200))
        pdf_cost = measured(count, repeat, printed)
        print(f"| {count:,} | {pdf_cost} | {measured(count, repeat, factur_x)} |")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\nPeak memory of the process: {peak:.0f} MiB.")


if __name__ == "__main__":
    main()
