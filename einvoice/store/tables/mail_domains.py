"""Domains from which tenants send their mails."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.store.core.db import Base
from einvoice.store.tables.columns import an_id, ref


class MailDomain(Base):
    """A domain of a tenant. Mails are sent from it while its state is verified.

    `token` is in the record that verifies it; `dkim_key` is a sealed private key (PEM), whose
    `public_key` DNS has at `selector`; `records` is what DNS had when it was asked last.
    """

    __tablename__ = "mail_domains"
    __table_args__ = (sa.Index("uq_mail_domains", "tenant_id", "domain", unique=True),)

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = ref("tenants.id")
    domain: Mapped[str] = mapped_column(sa.String(253))
    token: Mapped[str] = mapped_column(sa.String(40))
    selector: Mapped[str] = mapped_column(sa.String(40))
    dkim_key: Mapped[bytes]
    public_key: Mapped[str]
    # services/account/mail_domains.DomainState
    state: Mapped[str] = mapped_column(sa.String(8))
    records: Mapped[Any] = mapped_column(sa.JSON, default=dict)
    created_at: Mapped[datetime]
    checked_at: Mapped[datetime | None]
    verified_at: Mapped[datetime | None]
