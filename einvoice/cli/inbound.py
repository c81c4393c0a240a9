"""`einvoice inbound`: store a document as if a network had delivered it."""

from __future__ import annotations

import uuid
from pathlib import Path

import click

from einvoice.cli.application import with_app
from einvoice.domain.environments import Environment
from einvoice.domain.errors import RequestRefused
from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    BIS_INVOICE_CII,
    DocumentTypeId,
    ParticipantId,
)
from einvoice.network.types import Busy, Duplicate, Inbound, NotServiced, Stored
from einvoice.services.inbound import reception
from einvoice.web.runtime import runtime

BY_HAND = "by-hand"  # stored in place of an access point's name
_TYPES = {
    b"CrossIndustryInvoice": BIS_INVOICE_CII,
    b"CreditNote": BIS_CREDIT_NOTE,
    b"": BIS_INVOICE,
}


class _Participant(click.ParamType[ParticipantId]):
    name = "participant"

    def convert(self, value: str, param: object, ctx: object) -> ParticipantId:
        try:
            return ParticipantId.parse(value)
        except RequestRefused as refusal:
            raise click.BadParameter(refusal.detail) from refusal


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--to", "receiver", type=_Participant(), required=True, help="The receiver's participant id."
)
@click.option(
    "--from", "sender", type=_Participant(), required=True, help="The sender's participant id."
)
@click.option("--environment", type=click.Choice(["test", "live"]), default="test")
@click.option(
    "--instance-id", help="Id of the message; a second message with the same id is a duplicate."
)
@with_app
def inbound(
    file: Path,
    receiver: ParticipantId,
    sender: ParticipantId,
    environment: str,
    instance_id: str | None,
) -> None:
    """Store FILE as if a network had delivered it, and print the id of the document."""
    content = file.read_bytes()
    verdict = reception.receive(
        Inbound(
            access_point=BY_HAND,
            instance_id=instance_id or str(uuid.uuid4()),
            environment=Environment(environment),
            sender=sender,
            receiver=receiver,
            document_type=_type_of(content),
            process=BIS_BILLING_PROCESS,
            document=content,
        ),
        runtime().caches,
    )
    match verdict:
        case Stored(document_id):
            click.echo(document_id)
        case Duplicate(document_id):
            click.echo(document_id)
            click.echo("received before; nothing was stored", err=True)
        case NotServiced(reason):
            raise click.ClickException(reason)
        case Busy():
            raise click.ClickException("the database is busy; try again")


def _type_of(content: bytes) -> DocumentTypeId:
    """The document type that a sender would declare, by the name of the root element."""
    return next(kind for name, kind in _TYPES.items() if name in content[:2000])
