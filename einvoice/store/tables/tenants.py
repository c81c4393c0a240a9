"""Tenants, and the participant ids that they claim."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import an_id, ref

_OF_PLATFORM = sa.text("platform_id IS NOT NULL")


class Tenant(Base):
    """An account of the service. The profile holds payment and branding defaults."""

    __tablename__ = "tenants"

    id: Mapped[str] = an_id()
    name: Mapped[str]
    strict_idempotency: Mapped[bool] = mapped_column(default=False)
    reject_duplicate_numbers: Mapped[bool] = mapped_column(default=False)
    profile: Mapped[Any] = mapped_column(sa.JSON, default=dict)
    created_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]
    # Subject → Unix seconds: its tokens that were issued before are refused ("": everyone's).
    session_ends: Mapped[Any | None] = mapped_column(sa.JSON(none_as_null=True))
    # Register and VAT numbers that an operator has verified (domain/claims.verified_number).
    verified_numbers: Mapped[Any | None] = mapped_column(sa.JSON(none_as_null=True))
    # The platform that owns it, and the platform's name for it; NULL: the operator's own.
    platform_id: Mapped[str | None] = mapped_column(sa.String(40))
    external_id: Mapped[str | None] = mapped_column(sa.String(100))
    # Whether only test keys of the platform have created it: they may not change other tenants.
    sandbox_only: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    suspended_at: Mapped[datetime | None]
    suspension_reason: Mapped[str | None]
    # Requests a minute that its platform may make for it; NULL: the defaults of the settings.
    get_per_minute: Mapped[int | None]
    post_per_minute: Mapped[int | None]
    # Of domain/plans.Plan; NULL: no limit.
    plan: Mapped[Any | None] = mapped_column(sa.JSON(none_as_null=True))
    # Digest of a person's subject → Unix seconds of a request (services/account/seats).
    seats: Mapped[Any | None] = mapped_column(sa.JSON(none_as_null=True))
    # When the deletion of all that a closed tenant has began, and ended (services/account/purge).
    purge_begun_at: Mapped[datetime | None]
    purged_at: Mapped[datetime | None]
    # Since when it changes nothing, because it moves to another installation, and where it is now.
    held_at: Mapped[datetime | None]
    moved_to: Mapped[str | None] = mapped_column(sa.String(200))

    __table_args__ = (
        sa.Index(
            "uq_tenants_external_id",
            "platform_id",
            "external_id",
            unique=True,
            postgresql_where=_OF_PLATFORM,
            sqlite_where=_OF_PLATFORM,
        ),
        sa.Index(
            "ix_tenants_platform",
            "platform_id",
            "created_at",
            "id",
            postgresql_where=_OF_PLATFORM,
            sqlite_where=_OF_PLATFORM,
        ),
    )


class Platform(Base):
    """An account that owns tenants (decisions 21.1). Its id is the id of its row in `tenants`.

    Keys, OAuth clients, webhooks, events and audit log of the platform belong to this row.
    """

    __tablename__ = "platforms"

    id: Mapped[str] = mapped_column(sa.String(40), sa.ForeignKey("tenants.id"), primary_key=True)
    # Whether the numbers of its identifications count as verified by the operator (21.2).
    verifies_numbers: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]


_VERIFIED = sa.text("status = 'verified'")
_PENDING = sa.text("status = 'pending'")
_MOVED = sa.text("publication = 'moved'")


class Participant(Base):
    """A participant id that a tenant claims in one environment (decisions 19.7, 20.1).

    It is the tenant's if its status is verified, which it is for one tenant at most.
    """

    __tablename__ = "participants"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = ref("tenants.id")
    environment: Mapped[str] = mapped_column(sa.String(4))
    participant: Mapped[str] = mapped_column(sa.String(140))
    created_at: Mapped[datetime]
    # domain/claims.ClaimStatus and DecidedBy; `reason` is the operator's.
    status: Mapped[str] = mapped_column(sa.String(8), default="verified")
    decided_at: Mapped[datetime | None]
    decided_by: Mapped[str | None] = mapped_column(sa.String(8))
    reason: Mapped[str | None]
    # Whether the network names this service (domain/publication.Published), and when it is asked.
    publication: Mapped[str] = mapped_column(
        sa.String(9), default="none", server_default=sa.text("'none'")
    )
    publication_reason: Mapped[str | None] = mapped_column(sa.String(16))
    publication_text: Mapped[str | None] = mapped_column(sa.String(500))
    publication_since: Mapped[datetime | None]
    publication_checked_at: Mapped[datetime | None]
    publication_doubted_at: Mapped[datetime | None]
    publication_due_at: Mapped[datetime | None]

    __table_args__ = (
        sa.Index(
            "uq_participants_verified",
            "environment",
            "participant",
            unique=True,
            postgresql_where=_VERIFIED,
            sqlite_where=_VERIFIED,
        ),
        sa.Index("uq_participants_claimed", "tenant_id", "environment", "participant", unique=True),
        sa.Index(
            "ix_participants_pending",
            "created_at",
            "id",
            postgresql_where=_PENDING,
            sqlite_where=_PENDING,
        ),
        sa.Index("ix_participants_rivals", "environment", "participant"),
        sa.Index(
            "ix_participants_publication_due",
            "publication_due_at",
            postgresql_where=_VERIFIED,
            sqlite_where=_VERIFIED,
        ),
        sa.Index(
            "ix_participants_moved",
            "publication_since",
            "id",
            postgresql_where=_MOVED,
            sqlite_where=_MOVED,
        ),
    )


_REFUSED = sa.text("state = 'refused'")
_LATE = sa.text("failures > 0")


class ParticipantEntry(Base):
    """The entry of a participant id that this service has published in a network's directory.

    A row without an access point is work that nobody has begun. The row outlives the claim, until
    the entry is withdrawn.
    """

    __tablename__ = "participant_entries"

    id: Mapped[str] = an_id()
    # Whose claim changed it last: its work takes turns with the work of other tenants.
    tenant_id: Mapped[str] = ref("tenants.id")
    environment: Mapped[str] = mapped_column(sa.String(4))
    participant: Mapped[str] = mapped_column(sa.String(140))
    access_point: Mapped[str | None] = mapped_column(sa.String(40))
    # domain/entries.EntryState
    state: Mapped[str] = mapped_column(sa.String(8))
    # The form in which it was published last (PublishesParticipants.entry_form).
    form: Mapped[str | None] = mapped_column(sa.String(64))
    # Calls in a row that the network has not answered, the last reason, and since when.
    failures: Mapped[int] = mapped_column(default=0)
    fault: Mapped[str | None] = mapped_column(sa.String(500))
    failing_since: Mapped[datetime | None]
    changed_at: Mapped[datetime]
    lease_token: Mapped[str | None] = mapped_column(sa.String(36))
    lease_until: Mapped[datetime | None]

    __table_args__ = (
        sa.Index("uq_participant_entries", "environment", "participant", unique=True),
        sa.Index("ix_participant_entries_tenant", "tenant_id"),
        sa.Index("ix_participant_entries_form", "access_point", "state", "form", "id"),
        sa.Index(
            "ix_participant_entries_refused", "changed_at",
            postgresql_where=_REFUSED, sqlite_where=_REFUSED,
        ),
        sa.Index(
            "ix_participant_entries_late", "failing_since",
            postgresql_where=_LATE, sqlite_where=_LATE,
        ),
    )  # fmt: skip
