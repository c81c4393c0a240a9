"""BR-FR-CDV: the rules for messages of the life cycle (CDAR), release 1.4.0.

Officially each rule is a pattern of its own. A comparison is true if it is for one of the texts on
its path, and false where there is none. BR-FR-CDV-07_MDT-38_no cannot be broken as it is written.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Final

from einvoice.rules import Layer, Pack, RuleSet, Syntax
from einvoice.rules.book import BROKEN, Book, Chapter, Flag, Kind, Pattern, Values
from einvoice.rules.node import Node
from einvoice.rules.view import View
from einvoice_fr_ctc.cdar import codes
from einvoice_fr_ctc.cdar.names import QDT, RAM, ROOT, RSM, UDT

CDAR: Final = Syntax(
    "CDAR",
    roots={ROOT: "invoice"},
    prefixes={RSM: "rsm", RAM: "ram", QDT: "qdt", UDT: "udt"},
    terms="ram:.*(ID|Code)$",
)
LAYER: Final = Layer("BR-FR-CDV", CDAR, "network")
_chapter = Chapter(LAYER)

_CONTEXT = "rsm:ExchangedDocumentContext"
_GUIDELINE = "ram:GuidelineSpecifiedDocumentContextParameter"
_PROCESS = "ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID"
_EXCHANGED = "rsm:ExchangedDocument"
_MESSAGE = "rsm:AcknowledgementDocument"
_REFERENCE = f"{_MESSAGE}/ram:ReferenceReferencedDocument"
_STATUS = f"{_REFERENCE}/ram:SpecifiedDocumentStatus"
_CODE = "ram:ProcessConditionCode"
_PROFILE, _OF_FLOW_2 = "urn.cpro.gouv.fr:1p0:CDV:invoice", "urn.cpro.gouv.fr:1p0:CDV:einvoicingF2"
_PORTAL, _CHORUS, _PLATFORMS = "0000", "9999", "0238"
_OF_PLATFORM, _OF_PARTY = "305", "23"

_words = str.split
TYPES: Final = frozenset(_words("380 389 393 501 386 500 384 471 472 473 261 262 381 396 502 503"))
STATUSES: Final = frozenset(
    _words(
        "200 201 202 203 204 205 206 207 208 209 210 211 212 213 214 220 221 224 225 226 227 228 "
        "250 251 300 301 400 401 500 501 601"
    )
)
_PARTIES: Final = frozenset(_words("BY AB DL SE SR PE PR II IV"))
_RECIPIENTS: Final = _PARTIES | {"WK", "DFH"}
_PROCESSES: Final = frozenset(_words("NON_REGULATED B2C B2CINT B2BINT OUTOFSCOPE"))
_ACTIONS: Final = frozenset(_words("NOA PIN NIN CNF CNP CNA OTH"))
_AMOUNTS: Final = frozenset(_words("MEN MPA RAP ESC RAB REM MAP MAPTTC MNA MNATTC CBB DIV DVA MAJ"))
_CODES_OF_PLATFORM: Final = frozenset(_words("10 51 43 8 48"))
_CODES_OF_PARTY: Final = frozenset(_words("45 39 37 50 49 47 46 1 5"))
_NEED_REASON: Final = frozenset(_words("206 207 208 210 213 501"))
_REJECTIONS: Final = frozenset(
    _words(
        "MONTANTTOTAL_ERR CALCUL_ERR DOUBLON DEST_INC ADR_ERR REJ_SEMAN REJ_UNI REJ_COH REJ_ADR "
        "REJ_CONT_B2G REJ_REF_PJ REJ_ASS_PJ"
    )
)
_NOT_ADMISSIBLE: Final = frozenset(
    _words(
        "IRR_VIDE_F IRR_TYPE_F IRR_SYNTAX IRR_TAILLE_PJ IRR_NOM_PJ IRR_VID_PJ IRR_EXT_DOC "
        "IRR_TAILLE_F IRR_ANTIVIRUS IRR_NOM_F"
    )
)
_OF_PUBLIC_BUYERS: Final = frozenset(
    _words("RETRAIT_MAN_SERV ST_CT_NON_DECLAR SUPPR_COMP_AVOIR TRANSF_PMNT_REGIE")
)
_REFUSALS: Final = codes.REASONS_OF[codes.REFUSED]
_REASONS: Final = (
    frozenset().union(*codes.REASONS_OF.values()) | _REJECTIONS | _NOT_ADMISSIBLE
    | _OF_PUBLIC_BUYERS | {"CONTACT_ACHTR", "NON_TRANSMISE", "ROUTAGE_ERR"}
)  # fmt: skip
# The reasons that each status may have (MDT-113).
_REASONS_OF: Final = {
    "200": frozenset({"NON_TRANSMISE"}),
    "213": _REJECTIONS,
    "207": codes.REASONS_OF[codes.DISPUTED],
    "206": codes.REASONS_OF[codes.PARTLY_APPROVED],
    "208": codes.REASONS_OF[codes.SUSPENDED],
    "221": frozenset({"ROUTAGE_ERR"}),
    "501": _NOT_ADMISSIBLE,
}

Holds = Callable[[Node], bool]


def _check(holds: Holds, node: Node, _: View) -> Values | None:
    return None if holds(node) else BROKEN


def _rule(
    id_: str, term: str, path: str, requires: str, holds: Holds, kind: Kind = Kind.CODE_LIST,
    flag: Flag = Flag.FATAL,
) -> None:  # fmt: skip
    """Declare a rule of the nodes on a path."""
    at = Pattern().context(path)
    _chapter.add(f"BR-FR-{id_}", term, at, partial(_check, holds), requires, flag, kind)


def _is_one_of(allowed: frozenset[str], node: Node) -> bool:
    return node.text in allowed


def _is_any(node: Node, path: str, allowed: frozenset[str] | str) -> bool:
    """Whether one of the texts on the path is among these."""
    wanted = {allowed} if isinstance(allowed, str) else allowed
    return any(text in wanted for text in node.texts(path))


def _is_other(node: Node, path: str, text: str) -> bool:
    """Whether one of the texts on the path is another one."""
    return any(each != text for each in node.texts(path))


def _whole(node: Node) -> Node:
    while node.parent is not None:
        node = node.parent
    return node


def _is_filled(node: Node) -> bool:
    """Whether the element is there, which its context says."""
    return node is not None


# -- the head --------------------------------------------------------------------------------------


def _numbers(exchanged: Node, scheme: str) -> list[str]:
    """The numbers of this scheme of the recipients."""
    found = exchanged.all("ram:RecipientTradeParty/ram:GlobalID")
    return [each.text for each in found if each.attributes.get("schemeID") == scheme]


def _is_to_portal(root: Node) -> bool:
    """Whether the message is for the public portal alone."""
    for exchanged in root.all(_EXCHANGED):
        count = len(exchanged.all("ram:RecipientTradeParty/ram:GlobalID"))
        if count == 1 and _PORTAL in _numbers(exchanged, _PLATFORMS):
            return _is_any(exchanged, "ram:RecipientTradeParty/ram:RoleCode", "DFH")
    return False


def _has_profile(context: Node) -> bool:
    if _is_any(context, f"{_GUIDELINE}/ram:ID", _PROFILE):
        return True
    is_flow_2 = _is_any(context, f"{_GUIDELINE}/ram:ID", _OF_FLOW_2)
    return is_flow_2 and _is_to_portal(_whole(context))


def _has_process(context: Node) -> bool:
    """As officially, only REGULATED is compared with the process; the others with all texts."""
    if _is_to_portal(_whole(context)):
        return all(len(" ".join(text.split())) <= 3 for text in context.texts(_PROCESS) or [""])
    return _is_any(context, _PROCESS, "REGULATED") or _all_text(context) in _PROCESSES


def _all_text(node: Node) -> str:
    kids = [kid for kids in node.children.values() for kid in kids]
    return node.text if not kids else "".join(_all_text(kid) for kid in kids)


def _has_role(path: str, kind: str, allowed: frozenset[str], exchanged: Node) -> bool:
    """Whether a message of this kind has one of these roles."""
    message = f"{_MESSAGE}/ram:TypeCode"
    return not _is_any(exchanged.up(1), message, kind) or _is_any(exchanged, path, allowed)


def _names_issuer(issuer: Node) -> bool:
    whole = issuer.up(2)
    return _is_other(whole, f"{_MESSAGE}/ram:TypeCode", _OF_PARTY) or issuer.has("ram:GlobalID")


def _has_address(recipient: Node) -> bool:
    is_exempt = _is_any(recipient, "ram:RoleCode", frozenset({"WK", "DFH"}))
    return is_exempt or recipient.has("ram:URIUniversalCommunication/ram:URIID")


_rule("CDV-01_MDG-3", "MDG-3", f"{_CONTEXT}/{_GUIDELINE}", "A message names its profile.",
      _is_filled, Kind.PRESENCE)  # fmt: skip
_rule("CDV-02_MDT-3", "MDT-3", f"rsm:CrossDomainAcknowledgementAndResponse/{_CONTEXT}",
      f"The profile is {_PROFILE}; to the public portal alone {_OF_FLOW_2}.",
      _has_profile)  # fmt: skip
_rule("CDV-03_MDT-4", "MDT-4", _EXCHANGED, "A message has an id.",
      lambda node: node.has("ram:ID"), Kind.PRESENCE)  # fmt: skip
_rule("CDV-04_MDG-4", "MDG-4", f"{_EXCHANGED}/ram:IssueDateTime", "A message has its time.",
      _is_filled, Kind.PRESENCE)  # fmt: skip
_rule("CDV-05_MDG-9", "MDG-9", f"{_EXCHANGED}/ram:SenderTradeParty", "A message has a sender.",
      _is_filled, Kind.PRESENCE)  # fmt: skip
_rule("CDV-06_MDT-21", "MDT-21", f"{_EXCHANGED}/ram:SenderTradeParty/ram:RoleCode",
      "The sender has a role.", _is_filled, Kind.PRESENCE)  # fmt: skip
_rule("CDV-07_MDT-38_yes", "MDT-38", f"{_EXCHANGED}/ram:IssuerTradeParty",
      "The issuer of a message of a party has a number.", _names_issuer, Kind.PRESENCE)  # fmt: skip
_rule("CDV-07_MDT-38_no", "MDT-38", f"{_EXCHANGED}/ram:IssuerTradeParty",
      "The issuer of a message of a platform has no number.", _is_filled, Kind.ABSENCE)  # fmt: skip
_rule("CDV-08_MDT-73", "MDT-73", f"{_EXCHANGED}/ram:RecipientTradeParty",
      "A recipient that is neither a platform nor the portal has an address.", _has_address,
      Kind.PRESENCE)  # fmt: skip
_rule("CDV-CL-01_MDT-2", "MDT-2",
      f"rsm:CrossDomainAcknowledgementAndResponse/{_CONTEXT}",
      "The process is REGULATED; to the public portal alone it has at most 3 characters.",
      _has_process)  # fmt: skip
for _name, _path, _suffix in (
    ("CDV-CL-02_MDT-21", "ram:SenderTradeParty/ram:RoleCode", frozenset({"WK"})),
    ("CDV-CL-03_MDT-40", "ram:IssuerTradeParty/ram:RoleCode", frozenset[str]()),
):
    _rule(f"{_name}_305", _name.rpartition("_")[2], _EXCHANGED,
          "A message of a platform (305) comes from a platform (WK).",
          partial(_has_role, _path, _OF_PLATFORM, frozenset({"WK"})))  # fmt: skip
    _rule(f"{_name}_23", _name.rpartition("_")[2], _EXCHANGED,
          "A message of a party (23) comes from one of its roles.",
          partial(_has_role, _path, _OF_PARTY, _PARTIES | _suffix))  # fmt: skip
_rule("CDV-CL-04_MDT-59", "MDT-59", f"{_EXCHANGED}/ram:RecipientTradeParty/ram:RoleCode",
      "The role of a recipient is one of the list.", partial(_is_one_of, _RECIPIENTS))  # fmt: skip

# -- the status ------------------------------------------------------------------------------------


def _is_not_admissible(node: Node) -> bool:
    return _is_any(_whole(node), f"{_REFERENCE}/{_CODE}", "501")


def _has_amounts(reference: Node) -> bool:
    """A payment received (212) has amounts of its kind, each with its rate."""
    if not _is_any(reference, _CODE, "212"):
        return True
    found = [
        each
        for each in reference.all("ram:SpecifiedDocumentStatus/ram:SpecifiedDocumentCharacteristic")
        if "MEN" in each.texts("ram:TypeCode")
    ]
    whole = [each for each in found if each.has("ram:ValueAmount") and each.has("ram:ValuePercent")]
    return bool(found) and len(found) == len(whole)


def _has_reason(code: Node) -> bool:
    path = "ram:SpecifiedDocumentStatus/ram:ReasonCode"
    return code.text not in _NEED_REASON or code.up(1).has(path)


def _has_status_code(kind: str, allowed: frozenset[str], reference: Node) -> bool:
    if _is_other(reference.up(1), "ram:TypeCode", kind):
        return True
    return _is_any(reference, "ram:StatusCode", allowed) or not reference.has("ram:StatusCode")


def _is_about(status: str, reason: Node) -> bool:
    """Whether a reason is one of this status: that of its detail, else that of the invoice."""
    detail, reference = reason.up(1), reason.up(2)
    is_other = _is_other(reference, _CODE, status)
    own_is_other = _is_other(detail, _CODE, status)
    if is_other and (not detail.has(_CODE) or own_is_other):
        return False
    return not (_is_any(reference, _CODE, status) and own_is_other)


def _is_reason_of(status: str, allowed: frozenset[str], reason: Node) -> bool:
    return not _is_about(status, reason) or reason.text in allowed


def _senders(reason: Node) -> list[Node]:
    return list(_whole(reason).all(f"{_EXCHANGED}/ram:SenderTradeParty/ram:GlobalID"))


def _is_from_chorus(reason: Node) -> bool:
    """Whether the message comes from the portal of public buyers."""
    return any(
        each.text == _CHORUS and each.attributes.get("schemeID") == _PLATFORMS
        for each in _senders(reason)
    )


def _is_refusal(reason: Node) -> bool:
    return _is_reason_of("210", _REFUSALS, reason) or _is_from_chorus(reason)


def _is_public_refusal(reason: Node) -> bool:
    if not _is_about("210", reason) or not _is_from_chorus(reason):
        return True
    others = {"AUTRE", "COORD_BANC_ERR", "LIVR_INCOMP"}
    return reason.text in _REFUSALS | _OF_PUBLIC_BUYERS | others


_rule("04_MDT-91", "MDT-91", f"{_REFERENCE}/ram:TypeCode",
      "The type of the invoice is one of the list.", partial(_is_one_of, TYPES))  # fmt: skip
_rule("CDV-09_MDT-77", "MDT-77", f"{_MESSAGE}/ram:TypeCode",
      "A message is of a party (23) or a platform (305).",
      partial(_is_one_of, frozenset({_OF_PARTY, _OF_PLATFORM})))  # fmt: skip
_rule("CDV-10_MDT-87", "MDT-87", f"{_REFERENCE}/ram:IssuerAssignedID",
      "The invoice has its number.", _is_filled, Kind.PRESENCE)  # fmt: skip
_rule("CDV-11_MDG-35", "MDG-35", _REFERENCE,
      "The invoice has its date, unless it is not admissible.",
      lambda node: node.has("ram:FormattedIssueDateTime") or _is_not_admissible(node),
      Kind.PRESENCE)  # fmt: skip
_rule("CDV-12_MDT-105", "MDT-105", _REFERENCE, "The invoice has a status.",
      lambda node: node.has(_CODE), Kind.PRESENCE)  # fmt: skip
_rule("CDV-13_MDT-129", "MDT-129", f"{_REFERENCE}/ram:IssuerTradeParty",
      "The seller has a number, unless the invoice is not admissible.",
      lambda node: node.has("ram:GlobalID") or _is_not_admissible(node), Kind.PRESENCE)  # fmt: skip
_rule("CDV-14_MDT-207", "MDT-207", _REFERENCE,
      "A payment received (212) has the amounts (MEN), each with its VAT rate.", _has_amounts,
      Kind.PRESENCE)  # fmt: skip
_rule("CDV-15_MDT-113", "MDT-113", f"{_REFERENCE}/{_CODE}",
      "The statuses 206, 207, 208, 210, 213 and 501 have a reason.", _has_reason,
      Kind.PRESENCE)  # fmt: skip
_rule("CDV-16_MDT-124-2", "MDT-124", _STATUS, "Each detail has its number in the sequence.",
      lambda node: node.has("ram:SequenceNumeric"), Kind.PRESENCE)  # fmt: skip
_rule("CDV-CL-05_MDT-88_305", "MDT-88", _REFERENCE,
      "The document status of a message of a platform is one of its list.",
      partial(_has_status_code, _OF_PLATFORM, _CODES_OF_PLATFORM))  # fmt: skip
_rule("CDV-CL-05_MDT-88_23", "MDT-88", _REFERENCE,
      "The document status of a message of a party is one of its list.",
      partial(_has_status_code, _OF_PARTY, _CODES_OF_PARTY))  # fmt: skip
_rule("CDV-CL-06_MDT-105", "MDT-105", f"{_REFERENCE}/{_CODE}", "The status is one of the list.",
      partial(_is_one_of, STATUSES), flag=Flag.WARNING)  # fmt: skip
_rule("CDV-CL-06_MDT-115", "MDT-115", f"{_STATUS}/{_CODE}",
      "The status of a detail is one of the list.", partial(_is_one_of, STATUSES),
      flag=Flag.WARNING)  # fmt: skip
_rule("CDV-CL-07_MDT-132", "MDT-132", f"{_REFERENCE}/ram:IssuerTradeParty/ram:RoleCode",
      "The issuer of the invoice is the seller (SE).",
      partial(_is_one_of, frozenset({"SE"})))  # fmt: skip
_rule("CDV-CL-08_MDT-158", "MDT-158", f"{_REFERENCE}/ram:RecipientTradeParty/ram:RoleCode",
      "The role of the recipient of the invoice is one of the list.",
      partial(_is_one_of, _RECIPIENTS))  # fmt: skip
_rule("CDV-CL-09_MDT-113", "MDT-113", f"{_STATUS}/ram:ReasonCode", "The reason is one of the list.",
      partial(_is_one_of, _REASONS))  # fmt: skip
for _code, _allowed in _REASONS_OF.items():
    _rule(f"CDV-CL-09_MDT-113_{_code}", "MDT-113", f"{_STATUS}/ram:ReasonCode",
          f"The reason is one of the status {_code}.",
          partial(_is_reason_of, _code, _allowed))  # fmt: skip
_rule("CDV-CL-09_MDT-113_210", "MDT-113", f"{_STATUS}/ram:ReasonCode",
      "The reason is one of the status 210.", _is_refusal)  # fmt: skip
_rule("CDV-CL-09_MDT-113_210B2G", "MDT-113", f"{_STATUS}/ram:ReasonCode",
      "The reason is one of the status 210 of public buyers.", _is_public_refusal)  # fmt: skip
_rule("CDV-CL-10_MDT-121", "MDT-121", f"{_STATUS}/ram:RequestedActionCode",
      "The action is one of the list.", partial(_is_one_of, _ACTIONS))  # fmt: skip
_rule("CDV-CL-11_MDT-207", "MDT-207",
      f"{_STATUS}/ram:SpecifiedDocumentCharacteristic/ram:TypeCode",
      "The kind of an amount is one of the list.", partial(_is_one_of, _AMOUNTS))  # fmt: skip

BOOK: Final = Book.of(LAYER, "1.4.0", [_chapter])
PACK: Final = Pack("br-fr-cdv-1.4.0", "BR-FR-CDV 1.4.0", date(2026, 9, 1), None, (BOOK,))
RULES: Final = RuleSet("br-fr-cdv", (PACK,), recognises=lambda declared: declared.root == ROOT)
