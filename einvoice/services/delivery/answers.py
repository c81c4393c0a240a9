"""Answers of access points about a document: outcomes of the interface, or Unknown."""

from __future__ import annotations

from einvoice.network.conformity import fault_of
from einvoice.network.types import Found, NotSent, Outcome, Unknown
from einvoice.observability import logging

log = logging.get(__name__)


def outcome(access_point: str, answer: object) -> Outcome:
    """The answer of `submit` or `poll`; Unknown, as after an exception, if it is no outcome."""
    fault = fault_of(answer, Outcome)
    if fault is None:
        found: Outcome = answer  # type: ignore[assignment]
        return found
    return _unknown(access_point, fault)


def found(access_point: str, answer: object) -> Found:
    """The answer of `find`. NotSent is none: it would submit the document once more."""
    fault = fault_of(answer, Found)
    if fault is None:
        known: Found = answer  # type: ignore[assignment]
        return known
    if isinstance(answer, NotSent) and fault_of(answer, NotSent) is None:
        return Unknown(answer.reason, answer.retry_after, evidence=answer.evidence)
    return _unknown(access_point, fault)


def _unknown(access_point: str, fault: str) -> Unknown:
    log.error("not an outcome", access_point=access_point, fault=fault)
    return Unknown("the access point returned no outcome")
