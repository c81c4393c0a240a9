"""The access point that publishes its participants, at another one's SMP or at our own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Protocol

from einvoice.domain.identifiers import DocumentTypeId, ParticipantId
from einvoice.network.plugin_store import PluginStore
from einvoice.network.publishing import (
    BusinessCard,
    EntryStatus,
    MoveOutcome,
    PublishOutcome,
    WithdrawOutcome,
)
from einvoice_peppol import entry_routes
from einvoice_peppol.access_point import Peppol
from einvoice_peppol.card_index import CardIndex, CardNews
from einvoice_peppol.configuration import Network, SmpSettings
from einvoice_peppol.exchanges import Exchanges
from einvoice_peppol.locator import ClientCertificate, Locator
from einvoice_peppol.own_smp import OwnSmp
from einvoice_peppol.rest_smp import RestSmp
from einvoice_peppol.smp_writing import Target


class Entries(Protocol):
    """The entries of an SMP: see `einvoice.network.publishing`."""

    @property
    def form(self) -> str:
        """A text that changes with what is written."""
        ...

    def publish(
        self,
        participant: ParticipantId,
        types: Sequence[DocumentTypeId],
        card: BusinessCard | None,
    ) -> PublishOutcome: ...

    def withdraw(self, participant: ParticipantId) -> WithdrawOutcome: ...

    def move_out(self, participant: ParticipantId) -> MoveOutcome: ...

    def move_in(
        self,
        participant: ParticipantId,
        key: str,
        types: Sequence[DocumentTypeId],
        card: BusinessCard | None,
    ) -> PublishOutcome: ...

    def status(
        self, participant: ParticipantId, types: Sequence[DocumentTypeId]
    ) -> EntryStatus: ...


class PublishingPeppol(Peppol):
    """A network of Peppol whose SMP we write to."""

    receivable = entry_routes.RECEIVABLE

    def __init__(self, own: Network, entries: Entries, exchanges: Exchanges | None = None) -> None:
        super().__init__(own, exchanges)
        self.entries = entries

    def entry_form(self) -> str:
        return self.entries.form

    def publish(
        self,
        participant: ParticipantId,
        types: Sequence[DocumentTypeId],
        card: BusinessCard | None,
    ) -> PublishOutcome:
        return self.entries.publish(participant, types, card)

    def withdraw(self, participant: ParticipantId) -> WithdrawOutcome:
        return self.entries.withdraw(participant)

    def move_out(self, participant: ParticipantId) -> MoveOutcome:
        return self.entries.move_out(participant)

    def move_in(
        self,
        participant: ParticipantId,
        key: str,
        types: Sequence[DocumentTypeId],
        card: BusinessCard | None,
    ) -> PublishOutcome:
        return self.entries.move_in(participant, key, types, card)

    def status(self, participant: ParticipantId, types: Sequence[DocumentTypeId]) -> EntryStatus:
        return self.entries.status(participant, types)


def entries_of(own: Network, store: PluginStore) -> Entries | None:
    """The SMP of the settings; None where participants are published by hand."""
    settings = own.publisher
    if settings is None:
        return None
    target = partial(target_of, own, settings)
    if settings.identity is not None:
        return own_smp_of(own, settings, store)
    return RestSmp(
        settings.address,
        settings.user,
        settings.password,
        target,
        own.directory,
        store,
        policy=own.smp_policy,
        ca_file=own.tls_roots,
    )


def own_smp_of(own: Network, settings: SmpSettings, store: PluginStore) -> OwnSmp:
    """Our own SMP, whose identity is set."""
    assert settings.identity is not None  # noqa: S101 - the caller has seen it
    locator = Locator(
        settings.locator, settings.id, settings.identity, own.smp_policy, own.tls_roots
    )
    target = partial(target_of, own, settings)
    news = None
    if settings.cards is not None:
        secure = settings.cards.startswith("https:")
        certificate = ClientCertificate(settings.identity) if secure else None
        index = CardIndex(settings.cards, certificate, own.smp_policy, own.tls_roots)
        news = CardNews(own.stage.name, index, store)
    return OwnSmp(own.stage.name, settings, target, locator, own.directory, store, news)


def target_of(own: Network, settings: SmpSettings) -> Target:
    """Where our participants are reached now: with the certificate that we sign with."""
    return Target(own.own_address or "", own.identity.certificate, settings.contact)
