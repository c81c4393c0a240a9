"""Messages of a buyer about a received invoice (RASP): its upload index, and a text.

The network has no codes, so those of the response are written in words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lxml import etree

from einvoice.domain.responses import (
    ACTIONS,
    CODES,
    REASONS,
    STATUS_OF_CODE,
    ReceiverResponse,
    ResponseContent,
    ResponseStatus,
)
from einvoice.network.messages import InvoiceAnswer, Outgoing
from einvoice_anaf import evidence, uploads

MAX_CHARACTERS: Final = 2_000


def message_of(answer: InvoiceAnswer) -> Outgoing:
    """The message of a response. Raises ValueError if the upload index is not known."""
    if not answer.instance_id.isdecimal():
        raise ValueError("the invoice has no upload index of RO e-Factura")
    return Outgoing(
        key=f"response-{answer.response_id}",
        kind=evidence.BUYER_MESSAGE,
        environment=answer.environment,
        sender=answer.sender,
        receiver=answer.receiver,
        document_type=uploads.MESSAGE,
        process=uploads.MESSAGE_PROCESS,
        document=_document(answer.instance_id, "; ".join(_words(answer.content))),
        sender_country=answer.sender_country,
        receiver_country=answer.receiver_country,
    )


def _document(index: str, text: str) -> bytes:
    namespace = uploads.MESSAGE_NAMESPACE
    root = etree.Element(f"{{{namespace}}}header", nsmap={None: namespace})  # type: ignore[dict-item]
    root.set("index_incarcare", index)
    root.set("message", text[:MAX_CHARACTERS])
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def _words(content: ResponseContent) -> Iterator[str]:
    yield f"{content.code}: {CODES.get(content.code, content.code)}"
    for each in content.clarifications:
        named = (REASONS | ACTIONS).get(each.code, each.code)
        yield " - ".join(filter(None, (named, each.words)))
    if content.note:
        yield content.note


def read(message: str, buyer: str) -> ReceiverResponse:
    """The response of a buyer to an invoice that was sent; `buyer`: its number, if it is known.

    The message has no legal effect of its own, so it is in process and needs to be read; one that
    begins as ours do (`_words`) says which response it is.
    """
    code, _, rest = message.partition(":")
    known = CODES.get(code) if rest.strip().startswith(CODES.get(code, "?")) else None
    status = STATUS_OF_CODE[code] if known else ResponseStatus.IN_PROCESS
    return ReceiverResponse(status, by=buyer or None, text=message[:MAX_CHARACTERS] or None)
