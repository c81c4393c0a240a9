"""The test clock of a sandbox knows every moment of the schema that is still to come."""

from __future__ import annotations

import re

from einvoice.store.core.db import Base
from einvoice.store.core.types import Moment
from einvoice.store.tenant_data.sandbox_clock import PULLED, STAYS, WITH_ROWS

TO_COME = re.compile(r"(until|_by|due_at|expires_at|retry_at|not_before|failing_since|doubted_at)$")


def test_each_moment_to_come_is_pulled_or_stays_for_a_reason() -> None:
    pulled = {f"{each.table.__tablename__}.{name}" for each in PULLED for name in each.columns}
    to_come = {
        str(column)
        for table in Base.metadata.tables.values()
        for column in table.columns
        if isinstance(column.type, Moment) and TO_COME.search(column.name)
    }

    assert pulled | WITH_ROWS | set(STAYS) == to_come
    assert not (pulled | WITH_ROWS) & set(STAYS)
