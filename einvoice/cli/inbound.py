"""`einvoice inbound`: store a document as if a network had delivered it."""

from __future__ import annotations

import uuid
from pathlib import Path

import click

from einvoice.cli.application import ENVIRONMENT, with_app
from einvoice.documents.type_id import declared_type, type_in
from einvoice.domain.environments import Environment
from einvoice.domain.errors import RequestRefused
from einvoice.domain.identifiers import BIS_BILLING_PROCESS, DocumentTypeId, ParticipantId
from einvoice.network.types import Busy, Duplicate, Inbound, NotServiced, Stored
from einvoice.services.inbound import reception
from einvoice.web.runtime import runtime

BY_HAND = "by-hand"  # stored in place of an access point's name


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
@click.option("--environment", type=ENVIRONMENT, default="test")
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
    """Store FILE as if a network had delivered it, and print the id of the document.

    The type of the document that is found in it is printed to stderr.
    """
    content = file.read_bytes()
    document_type = _declared(content)
    verdict = reception.receive(
        Inbound(
            access_point=BY_HAND,
            instance_id=instance_id or str(uuid.uuid4()),
            environment=Environment(environment),
            sender=sender,
            receiver=receiver,
            document_type=document_type,
            process=BIS_BILLING_PROCESS,
            document=content,
        ),
        runtime().caches,
        runtime().computing,
        runtime().forms,
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


def _declared(content: bytes) -> DocumentTypeId:
    """The type that a sender would declare; what is found is printed."""
    found = type_in(content)
    if found is None:
        click.echo("the file is not XML; it is declared as an invoice", err=True)
    else:
        click.echo(f"found a document of the type {found}", err=True)
    return declared_type(found)
