"""Answers of Fatoora to a document, and their meaning."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from einvoice.domain.artefacts import AUTHORITY_DOCUMENT, AUTHORITY_RECEIPT, ArtefactKind
from einvoice.http import Response
from einvoice.network import reasons
from einvoice.network.types import (
    Blocked,
    Delivered,
    Evidence,
    NetworkFinding,
    NotSent,
    Outcome,
    Rejected,
    Unknown,
)
from einvoice.xml import NotXml, parse
from einvoice_zatca.names import CBC

RETENTION_YEARS: Final = 6
# It keeps its place in the chain, so that who verifies a chain needs it.
REFUSED: Final = ArtefactKind("AUTHORITY_REFUSED", "application/xml", "refused-{number}.xml")
SEE_OTHER: Final = 303
_DONE: Final = ("CLEARED", "REPORTED")
_NOT_DONE: Final = ("NOT_CLEARED", "NOT_REPORTED")
_BUSY_SECONDS: Final = 30.0
_MAX_CODE: Final = 100
_UUID: Final = f"{CBC}UUID"
# Codes by which the chain of a unit is refused; that ZATCA names them so is belief.
_OF_CHAIN: Final = ("KSA-13", "KSA-16", "invalid-PIH", "invalid-ICV")


@dataclass(frozen=True, slots=True)
class Sent:
    """A stamped document that was sent; until when it is sent again, and when it is to be there."""

    document: bytes
    simplified: bool
    retry_until: datetime | None = None
    due_by: datetime | None = None

    @property
    def original(self) -> Evidence:
        """The document as sent, which is the legal original of a simplified one."""
        return Evidence(
            AUTHORITY_DOCUMENT,
            self.document,
            legal_original=self.simplified,
            retention_years=RETENTION_YEARS,
        )

    def not_sent(self, reason: str, retry_after: float | None = None) -> NotSent:
        return NotSent(
            reason,
            retry_after,
            evidence=self._handed_out,
            retry_until=self.retry_until,
            due_by=self.due_by,
        )

    def unknown(self, reason: str) -> Unknown:
        return Unknown(
            reason,
            evidence=self._handed_out,
            retry_until=self.retry_until,
            due_by=self.due_by,
        )

    @property
    def _handed_out(self) -> tuple[Evidence, ...]:
        """By what a simplified document is handed out before it is reported."""
        return (self.original,) if self.simplified else ()


def outcome(response: Response, sent: Sent) -> Outcome:
    """The outcome of a document. 303 is none: the caller reports the document instead."""
    said = response.members()
    match response.status:
        case 200 | 202 if status_of(said) in _DONE and _has_another(said, sent):
            return sent.unknown("The answer of Fatoora has another document than the one sent.")
        case 200 | 202 if status_of(said) in _DONE:
            return _delivered(said, sent)
        case 409:
            return _delivered({} if _has_another(said, sent) else said, sent)
        case 200 | 202 | 400 if status_of(said) in _NOT_DONE or (response.status == 400 and said):
            return _refused(said, response.status, sent)
        case 401:
            return Blocked(
                "Fatoora refuses the certificate of this unit: give a new OTP, with which it is "
                "renewed."
            )
        case 413:
            reason = reasons.TOO_LARGE
            return Rejected("413", "The document is too large for Fatoora.", 413,
                            reason_code=reason.code)  # fmt: skip
        case 429:
            return sent.not_sent("Fatoora has too many requests.", _BUSY_SECONDS)
        case status:
            return sent.unknown(f"Fatoora responds with {status}.")


def status_of(said: dict[str, Any]) -> str:
    """CLEARED, REPORTED, or one of these with NOT_ before it."""
    return str(said.get("clearanceStatus") or said.get("reportingStatus") or "")


def evidence(said: dict[str, Any], sent: Sent) -> Iterator[Evidence]:
    """The legal original, and the answer without it.

    Of a simplified document the original is what was sent. Of a standard one it is the cleared
    document; where an answer has none, what was sent is kept, and not said to be the original.
    """
    cleared = _decoded(said.get("clearedInvoice"))
    original = sent.original
    yield replace(original, content=cleared, legal_original=True) if cleared else original
    yield _answer(said)


def _answer(said: dict[str, Any]) -> Evidence:
    """An answer, without the document in it."""
    rest = {name: value for name, value in said.items() if name != "clearedInvoice"}
    return Evidence(
        AUTHORITY_RECEIPT,
        json.dumps(rest, ensure_ascii=False, indent=2).encode(),
        content_type="application/json",
        retention_years=RETENTION_YEARS,
    )


def _has_another(said: dict[str, Any], sent: Sent) -> bool:
    """Whether the cleared document of an answer is not the one that was sent, or no document."""
    cleared = _decoded(said.get("clearedInvoice"))
    if cleared is None:
        return False
    try:
        return parse(cleared).findtext(_UUID) != parse(sent.document).findtext(_UUID)
    except NotXml:
        return True


def _decoded(text: object) -> bytes | None:
    if not isinstance(text, str) or not text:
        return None
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def messages(said: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """The messages of a kind: errorMessages, warningMessages."""
    results = said.get("validationResults")
    found = results.get(kind) if isinstance(results, dict) else None
    return [each for each in found or () if isinstance(each, dict)]


def _refused(said: dict[str, Any], status: int, sent: Sent) -> Outcome:
    errors = messages(said, "errorMessages")
    codes = [str(each.get("code") or "") for each in errors]
    if any(code in _OF_CHAIN for code in codes):
        return Blocked(
            "Fatoora does not know the document before this one: the counter of this unit is "
            "behind, as after a restore from a backup. Restore the newest data, or register a new "
            f"unit. ({'; '.join(texts(errors))[:300]})"
        )
    words = texts(errors) or [str(said.get("message") or "The document was refused.")]
    return Rejected(
        code=next(filter(None, codes), str(status))[:_MAX_CODE],
        reason="; ".join(words)[:2000],
        upstream_status=status,
        reason_code=reasons.DOCUMENT_REFUSED.code,
        evidence=(
            Evidence(REFUSED, sent.document, retention_years=RETENTION_YEARS),
            _answer(said),
        ),
        findings=_findings(errors),
    )


def _delivered(said: dict[str, Any], sent: Sent) -> Delivered:
    """With the warnings that are named beside it (202)."""
    warnings = _findings(messages(said, "warningMessages"))
    return Delivered(tuple(evidence(said, sent)), warnings=warnings)


def _findings(found: list[dict[str, Any]]) -> tuple[NetworkFinding, ...]:
    return tuple(
        NetworkFinding(str(each.get("message") or ""), str(each.get("code") or ""))
        for each in found
    )


def texts(found: list[dict[str, Any]]) -> list[str]:
    """The words of messages."""
    return [str(each.get("message") or each.get("code") or "") for each in found]
