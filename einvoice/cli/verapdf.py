"""veraPDF (https://verapdf.org), which checks whether a PDF conforms to PDF/A as a whole.

It is a program of others that the operator names with `--verapdf`. One PDF is given to it at a
time; its time and its output are bounded. It judges by the level that the metadata of the PDF
claim, by PDF/A-3b where they claim none.
"""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, cast

from lxml import etree

from einvoice import clock
from einvoice.validation.pdf import Misfit
from einvoice.xml import NotXml, parse

_MAX_SECONDS: Final = 120.0
_MAX_OUTPUT_BYTES: Final = 8 * 1024**2
_MAX_RULES: Final = 200  # of PDF/A-3 there are some 150
_OPTIONS: Final = ("--defaultflavour", "3b", "--maxfailuresdisplayed", "1")
_BLOCK: Final = 65_536


class NoResult(Exception):
    """veraPDF gave no result; the message is the reason, as a sentence."""


@dataclass(frozen=True, slots=True)
class VeraPdf:
    """The program at a path.

    seconds  until it is ended
    """

    path: str
    seconds: float = _MAX_SECONDS

    @classmethod
    def named(cls, name: str) -> VeraPdf | None:
        """The program of a name or path; None if there is none that may be run."""
        path = shutil.which(name)
        return cls(path) if path else None

    def check(self, pdf: bytes, severity: str) -> tuple[Misfit, ...]:
        """A finding of a severity for each clause that the PDF violates; else that it conforms.

        A warning if veraPDF gives no result.
        """
        try:
            return tuple(_findings(_report(self._output(pdf)), severity))
        except NoResult as reason:
            return (Misfit("verapdf-failed", "warning", {"reason": str(reason)}),)

    def _output(self, pdf: bytes) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "invoice.pdf")
            file.write_bytes(pdf)
            try:
                child = subprocess.Popen(  # noqa: S603 - the program that the operator named
                    [self.path, *_OPTIONS, str(file)],
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                    cwd=folder, start_new_session=True,
                )  # fmt: skip
            except OSError as fault:
                raise NoResult(f"it cannot be run ({fault.strerror}).") from fault
            try:
                return self._read(cast("IO[bytes]", child.stdout).fileno())
            finally:
                _end(child)

    def _read(self, output: int) -> bytes:
        """All that is written to a pipe until it ends. Raises NoResult beyond a bound."""
        deadline = clock.monotonic() + self.seconds
        found = bytearray()
        with selectors.DefaultSelector() as readable:
            readable.register(output, selectors.EVENT_READ)
            while len(found) <= _MAX_OUTPUT_BYTES:
                if not readable.select(max(0.0, deadline - clock.monotonic())):
                    raise NoResult(f"it took longer than {self.seconds:g} seconds.")
                block = os.read(output, _BLOCK)
                if not block:
                    return bytes(found)
                found += block
        raise NoResult(f"it wrote more than {_MAX_OUTPUT_BYTES // 1024**2} MiB.")


def _end(child: subprocess.Popen[bytes]) -> None:
    """End the program and what it has started, such as Java."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    if child.stdout is not None:
        child.stdout.close()


def _report(output: bytes) -> etree._Element:
    """The report in XML; what a launcher writes before it is left out."""
    try:
        return parse(output[max(0, output.find(b"<?xml")) :], max_bytes=_MAX_OUTPUT_BYTES)
    except NotXml as fault:
        raise NoResult("it wrote no report in XML.") from fault


def _findings(report: etree._Element, severity: str) -> Iterator[Misfit]:
    """Raises NoResult if the report has no result of a validation."""
    results = list(report.iter("validationReport"))
    if not results:
        message = " ".join((report.findtext(".//exceptionMessage") or "no validation").split())
        raise NoResult(f"{message}.")
    failed = [
        rule for each in results for rule in each.iter("rule") if rule.get("status") == "failed"
    ]
    for rule in failed[:_MAX_RULES]:
        yield _clause(rule, severity)
    if not failed and any(each.get("isCompliant") != "true" for each in results):
        raise NoResult("its report says that the PDF does not conform, and not why.")
    if not failed:
        release = report.find(".//releaseDetails")
        version = release.get("version", "") if release is not None else ""
        profile = results[0].get("profileName", "").removesuffix(" validation profile")
        yield Misfit("verapdf", "information", {"version": version, "profile": profile})


def _clause(rule: etree._Element, severity: str) -> Misfit:
    """The finding on a clause, with its first place."""
    clause, test = rule.get("clause", ""), rule.get("testNumber", "")
    facts = {
        "specification": rule.get("specification", ""),
        "clause": clause,
        "requirement": _sentence(rule, "description"),
        "count": rule.get("failedChecks", "1"),
        "place": rule.findtext("check/context") or "",
        "reason": _sentence(rule, "check/errorMessage"),
    }
    return Misfit(f"a-{clause}-{test}", severity, facts)


def _sentence(rule: etree._Element, path: str) -> str:
    """The text of an element, with one full stop; "" without."""
    text = (rule.findtext(path) or "").strip().rstrip(".")
    return f"{text}." if text else ""
