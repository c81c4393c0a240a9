"""Packages of invoices (batch sessions): a zip in encrypted parts, uploaded, then closed.

KSeF processes nothing of a package before it is closed. So whatever fails before that has sent
nothing, and only the answer to the closing can be lost.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from einvoice.http import HttpFault
from einvoice_ksef.answers import Fault, Kind
from einvoice_ksef.calls import Calls, Failed, text_in
from einvoice_ksef.encryption import SessionKey, digest_of, new_nonce
from einvoice_ksef.forms import FormCode
from einvoice_ksef.keys import Keys
from einvoice_ksef.limits import Group
from einvoice_ksef.sends import PACKAGE, Sends
from einvoice_ksef.sessions import with_key

OPEN: Final = 100  # the status of a package that is not closed
PART_BYTES: Final = 20_000_000  # before encryption; KSeF takes 100 MB
_WRITTEN: Final = (2026, 1, 1, 0, 0, 0)  # the same bytes at each attempt


class CloseLost(Exception):
    """The answer to the closing was lost: KSeF may process the package."""


@dataclass(frozen=True, slots=True)
class Part:
    """An encrypted part of a package; `number` counts from 1."""

    number: int
    content: bytes

    def as_json(self) -> dict[str, Any]:
        return {
            "ordinalNumber": self.number,
            "fileSize": len(self.content),
            "fileHash": digest_of(self.content),
        }


class Packages:
    """Sends packages of one connection."""

    def __init__(self, calls: Calls, keys: Keys, sends: Sends) -> None:
        self._calls, self._keys, self._sends = calls, keys, sends

    def send(self, form: FormCode, files: Mapping[str, bytes], *, offline: bool = False) -> str:
        """Send files (by name); the reference of the session. `offline`: all were issued so.

        Raises CloseLost; after Failed, Refused, Spent, HttpFault and NoKey nothing was sent.
        """
        package = zipped(files)
        key = SessionKey.derived(self._calls.secret, new_nonce())
        sent = parts(package, key, PART_BYTES)
        body = {
            "formCode": form.as_json(),
            "offlineMode": offline,
            "batchFile": {
                "fileSize": len(package),
                "fileHash": digest_of(package),
                "fileParts": [part.as_json() for part in sent],
            },
        }
        response = with_key(
            self._keys,
            key,
            lambda info: self._calls.make(
                Group.BATCH_SESSION, "POST", "sessions/batch", {**body, "encryption": info}
            ),
        )
        reference = text_in(response, "referenceNumber")
        self._upload(response.members().get("partUploadRequests") or (), sent)
        self._sends.add(reference, PACKAGE, [digest_of(each) for each in files.values()])
        self._closed(reference)
        return reference

    def _upload(self, requests: Sequence[Mapping[str, Any]], sent: Sequence[Part]) -> None:
        by_number = {part.number: part.content for part in sent}
        if sorted(by_number) != sorted(each.get("ordinalNumber", 0) for each in requests):
            raise Failed(Fault(Kind.OPERATOR, 0, "KSeF asks for other parts of the package."))
        for request in requests:
            content = by_number[request["ordinalNumber"]]
            response = self._calls.api.upload(request, content)
            if response.status not in (200, 201, 202, 204):
                words = f"KSeF refuses a part of the package: HTTP {response.status}."
                raise Failed(Fault(Kind.RETRY, response.status, words))

    def _closed(self, reference: str) -> None:
        try:
            close(self._calls, reference)
        except HttpFault as fault:
            if fault.maybe_sent:
                raise CloseLost(str(fault)) from fault
            raise
        except Failed as failed:
            if failed.fault.kind in (Kind.UNKNOWN, Kind.SESSION):
                raise CloseLost(str(failed)) from failed
            raise


def close(calls: Calls, reference: str) -> None:
    """Close a package, which begins its processing."""
    calls.make(Group.BATCH_SESSION, "POST", f"sessions/batch/{reference}/close")


def close_again(calls: Calls, reference: str) -> bool:
    """Close a package that KSeF says is open; whether this call did it: another may have done so.

    Raises as Calls.make.
    """
    try:
        close(calls, reference)
    except Failed as failed:
        if failed.fault.kind is Kind.SESSION:
            return False
        raise
    return True


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip of the files, the same for the same files."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _WRITTEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return made.getvalue()


def parts(package: bytes, key: SessionKey, size: int) -> list[Part]:
    """The parts of a package, each encrypted by itself."""
    starts = range(0, len(package), size)
    return [
        Part(number, key.encrypted(package[start : start + size]))
        for number, start in enumerate(starts, 1)
    ]
