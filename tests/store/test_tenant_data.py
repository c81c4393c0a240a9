"""Everything that belongs to a tenant is in its export, or left out for a reason."""

from __future__ import annotations

import sqlalchemy as sa

from einvoice.store.core.db import Base
from einvoice.store.tenant_data import tenant_data

# Columns that no export may contain: who has one of them can act for the tenant.
SECRETS = {"digest", "old_digest", "older_digest", "secret", "signing_secret", "old_signing_secret",
           "older_signing_secret", "credentials", "plugin_state"}  # fmt: skip


def test_every_table_is_exported_or_left_out_for_a_reason() -> None:
    exported = {family.table.name for family in tenant_data.FAMILIES}

    assert exported | set(tenant_data.LEFT_OUT) == set(Base.metadata.tables)
    assert not exported & set(tenant_data.LEFT_OUT)


def test_no_secret_is_exported() -> None:
    for family in tenant_data.FAMILIES:
        names = {column.name for column in family.columns}
        if family is not tenant_data.AUDIT_SEALS:
            assert not names & SECRETS, family.name


def test_bytes_are_exported_as_files_only() -> None:
    for family in tenant_data.FAMILIES:
        columns = [c for c in family.table.columns if c.name not in family.left_out]
        kinds = [column.name for column in columns if isinstance(column.type, sa.LargeBinary)]

        assert set(kinds) == set(family.files), family.name


def test_every_family_is_read_by_columns_that_it_has() -> None:
    for family in tenant_data.FAMILIES:
        assert set(family.key) <= {column.name for column in family.columns}, family.name
