"""Responses of a buyer to a bill, as statuses of the life cycle (docs/fr-ctc.md has the table)."""

from __future__ import annotations

from typing import Final

from einvoice.domain.responses import ACTIONS, REASONS, Clarification, ResponseContent
from einvoice.network.messages import InvoiceAnswer, Outgoing
from einvoice_fr_ctc import companies, flows, received
from einvoice_fr_ctc.cdar import codes, write
from einvoice_fr_ctc.cdar.write import Company, GivenReason, Message

STATUS_OF_CODE: Final = {
    "AB": codes.TAKEN_UP,
    "IP": codes.TAKEN_UP,
    "UQ": codes.DISPUTED,
    "CA": codes.PARTLY_APPROVED,
    "RE": codes.REFUSED,
    "AP": codes.APPROVED,
    "PD": codes.PAYMENT_SENT,
}
# Reasons of the API → reasons of a refusal (210), and of a dispute or a partial approval
# (207, 206). None: there is none, so that the text has to name an official one.
_REASON: Final[dict[str, tuple[str | None, str]]] = {
    "REF": ("CMD_ERR", "REF_ERR"),
    "LEG": ("NON_CONFORME", "AUTRE"),
    "REC": ("DEST_ERR", "AUTRE"),
    "QUA": (None, "QUALITE_ERR"),
    "DEL": (None, "LIVR_INCOMP"),
    "PRI": ("MONTANTTOTAL_ERR", "PU_ERR"),
    "QTY": ("MONTANTTOTAL_ERR", "QTE_ERR"),
    "ITM": ("CMD_ERR", "ART_ERR"),
    "PAY": ("NON_CONFORME", "MODPAI_ERR"),
    "UNR": ("TRANSAC_INC", "AUTRE"),
    "FIN": ("CALCUL_ERR", "AUTRE"),
    "NON": (None, "AUTRE"),
    "OTH": (None, "AUTRE"),
}
MAX_WORDS: Final = 1000


def message_of(answer: InvoiceAnswer) -> Outgoing:
    """The message of a response. Raises ValueError if none can be made of it."""
    buyer, seller = companies.siren_in(answer.sender), _seller(answer)
    if buyer is None or seller is None:
        raise ValueError("buyer and seller need a SIREN, in an id of the scheme 0225")
    if answer.issue_date is None:
        raise ValueError("the bill has no date that could be read")
    status = STATUS_OF_CODE[answer.content.code]
    message = Message(
        status,
        answer.number,
        answer.type_code,
        answer.issue_date,
        seller,
        answer.at,
        Company(buyer, answer.sender_name, write.BUYER),
        Company(seller, answer.receiver_name, write.SELLER, _address(answer, seller)),
        tuple(_reasons(answer.content, status)),
        note=(answer.content.note or "")[:MAX_WORDS],
    )
    key, document = f"response-{answer.response_id}", write.written(message)
    return flows.outgoing(key, answer, answer.receiver, document)


def _seller(answer: InvoiceAnswer) -> str | None:
    """The SIREN of the seller: of its id, or of its tax number where a PDF names no id."""
    if answer.receiver != received.UNKNOWN:
        return companies.siren_in(answer.receiver)
    return companies.siren_of(answer.receiver_tax_id or "")


def _address(answer: InvoiceAnswer, seller: str) -> str:
    """Where the seller receives in the directory."""
    of_directory = answer.receiver.scheme == companies.DIRECTORY
    return answer.receiver.value if of_directory and answer.receiver != received.UNKNOWN else seller


def _reasons(content: ResponseContent, status: str) -> list[GivenReason]:
    """The reasons, with the first action at the first one."""
    allowed = codes.REASONS_OF.get(status)
    if allowed is None:
        return []
    given = [_reason(each, status, allowed) for each in content.reasons]
    if not given:
        given = [_reason(Clarification("OTH"), status, allowed)]
    actions = [each for each in content.actions if each.code in ACTIONS]
    if actions:
        words = actions[0].words or ACTIONS[actions[0].code]
        first = given[0]
        given[0] = GivenReason(first.code, first.words, first.note, actions[0].code, words)
    return given


def _reason(given: Clarification, status: str, allowed: frozenset[str]) -> GivenReason:
    """An official reason that the text begins with, else the one of the table."""
    words = (given.words or "")[:MAX_WORDS]
    official, _, rest = words.partition(":")
    named = official.strip()
    if named in allowed:
        return GivenReason(named, codes.REASON_NAMES.get(named, named), rest.strip())
    refusal, other = _REASON.get(given.code, (None, "AUTRE"))
    code = refusal if status == codes.REFUSED else other
    if code is None or code not in allowed:
        listed = ", ".join(sorted(allowed))
        raise ValueError(
            f"the status {status} has no reason for {given.code} "
            f"({REASONS.get(given.code, 'unknown')}): begin its text with one of {listed}, "
            "as in “TX_TVA_ERR: 20 %”"
        )
    return GivenReason(code, codes.REASON_NAMES.get(code, code), words)
