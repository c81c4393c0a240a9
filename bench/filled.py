"""A tenant with any number of invoices, inserted by SQL: a million take some minutes and 4 GB.

Two years of them (or `days`) in the order of their ids: four of five sent, to 5,000 buyers of which
the first has a tenth, the others received from 500 suppliers, one in 2,000 unreadable; amounts up
to 20,000 in EUR (one in 20 in SEK), 1 of 500 Failed, 1 of 20 bills open. Documents are as large as
usual and do not compress, so three rows are on a page. Of those before the newest `in_rows` the
documents are in the archive, as the relay leaves them (services/archive/transfer): a million takes
1.8 GB. Where they lie is stored for one in ten of them, since no list reads it.
"""

from __future__ import annotations

import secrets

import sqlalchemy as sa

from einvoice.services.account import tenants
from einvoice.store.core import db

OWN, USUAL = "0208:0123456749", "0088:9520000000004"
CHUNK = 50_000
_DOCUMENT_BYTES = 2_000

_NUMBERS = """
SELECT i, at, received, received AND i % 2000 = 9 AS unreadable,
    CASE WHEN i <= CAST(:archived AS bigint) THEN at + interval '30 days' END AS archived_at,
    substr(h, 1, 8) || '-' || substr(h, 9) || '-7' || substr(r, 1, 3) || '-a' || substr(r, 4, 3)
        || '-' || substr(r, 7, 12) AS id,
    'txn_' || h || '7' || substr(r, 1, 3) || 'a' || substr(r, 4, 15) AS txn,
    '0088:' || (9520000000000 + b) AS buyer, b, '0208:' || (300000000 + i % 500) AS supplier,
    round((('x' || substr(r, 1, 6))::bit(24)::int / 838.8608)::numeric, 2) AS amount
FROM (
    SELECT i, at, i % 5 = 4 AS received, md5(CAST(:tenant AS text) || i) AS r,
        CASE WHEN i % 10 = 0 THEN 4 ELSE i * 7919 % 5000 END AS b,
        lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') AS h
    FROM (
        SELECT i, date_trunc(
            'milliseconds',
            now() - make_interval(days => CAST(:days AS int)) * (1 - i / CAST(:size AS float8))
        ) AS at
        FROM generate_series(CAST(:first AS bigint), CAST(:last AS bigint)) AS i
    ) AS spread
) AS numbered
"""
_INSERT = (
    """
INSERT INTO invoices (id, tenant_id, environment, direction, kind, number, issue_date, currency,
    subtotal, tax_amount, grand_total, payable, supplier_name, buyer_name, sender, receiver,
    transmission_id, rule_pack, findings, warnings, created_at, original_type, original, document,
    archived_at)
SELECT id, :tenant, 'test', CASE WHEN received THEN 'received' ELSE 'sent' END, 'invoice',
    CASE WHEN NOT unreadable THEN 'N-' || i END,
    CASE WHEN NOT unreadable THEN (at - make_interval(days => (i % 4)::int))::date END,
    CASE WHEN unreadable THEN NULL WHEN i % 20 = 7 THEN 'SEK' ELSE 'EUR' END,
    CASE WHEN NOT unreadable THEN amount END, CASE WHEN NOT unreadable THEN 0 END,
    CASE WHEN NOT unreadable THEN amount END, CASE WHEN NOT unreadable THEN amount END,
    CASE WHEN unreadable THEN NULL WHEN received THEN 'Supplier ' || i % 500 ELSE 'Acme NV' END,
    CASE WHEN unreadable THEN NULL WHEN received THEN 'Acme NV' ELSE 'Buyer ' || b END,
    CASE WHEN received THEN supplier ELSE :own END, CASE WHEN received THEN :own ELSE buyer END,
    txn, 'none', '[]', '[]', at, 'application/json',
    CASE WHEN archived_at IS NULL THEN '{}' ELSE '' END::bytea,
    CASE WHEN archived_at IS NULL THEN :document ELSE '' END::bytea, archived_at
FROM made
""",
    """
INSERT INTO transmissions (id, invoice_id, tenant_id, environment, access_point, document_type,
    process, status, phase, answered, attempts, fence, retry_until, attention, rejected, created_at,
    listed_at, submitted_at, settled_at)
SELECT txn, id, :tenant, 'test', 'none', 'a::b', 'c::d',
    CASE WHEN received THEN 'Received' WHEN i % 500 = 3 THEN 'Failed' ELSE 'Delivered' END, 'done',
    'processing', 1, 1, at, false, i % 500 = 3, at, at, at, at + make_interval(secs => (i % 9)::int)
FROM made
""",
    """
INSERT INTO received (invoice_id, tenant_id, environment, access_point, sender, receiver,
    instance_id, document_type, process, sha256, created_at, processed_at)
SELECT id, :tenant, 'test', 'none', supplier, :own, txn, 'a::b', 'c::d', 'x', at,
    CASE WHEN i % 100 <> 4 THEN at END FROM made WHERE received
""",
)
_ARCHIVE = (
    """
CREATE TEMP TABLE parts ON COMMIT DROP AS
SELECT id, at, archived_at, part, kind, encode(sha256((id || part)::bytea), 'hex') AS sha256
FROM made, (VALUES ('original', 'ORIGINAL'), ('document', 'UBL')) AS parts (part, kind)
WHERE archived_at IS NOT NULL AND i % 10 = 1
""",
    """
INSERT INTO archive_objects (tenant_id, sha256, store, encoding, size, stored_size, state,
    changed_at, retain_until)
SELECT :tenant, sha256, 'directory', 'gzip', 2000, 900, 'stored', archived_at,
    (date_trunc('year', at) + interval '2 years -1 day')::date FROM parts
""",
    """
INSERT INTO archive_parts (owner_id, part, tenant_id, invoice_id, kind, sha256, size, moved_at)
SELECT id, part, :tenant, id, kind, sha256, 2000, archived_at FROM parts
""",
)


def tenant_with(size: int, *, days: int = 730, in_rows: int | None = None) -> str:
    """The id of a new tenant with `size` invoices of the last `days`, on PostgreSQL.

    in_rows  how many of them have their documents in the database; None: all
    """
    tenant = tenants.create(f"{size:,} invoices")
    document = secrets.token_bytes(_DOCUMENT_BYTES)
    archived = size - min(size, in_rows) if in_rows is not None else 0
    values = {
        "tenant": tenant, "size": size, "own": OWN, "document": document, "days": days,
        "archived": archived,
    }  # fmt: skip
    for first in range(1, size + 1, CHUNK):
        values |= {"first": first, "last": min(size, first + CHUNK - 1)}
        with db.writing() as connection:
            _run(connection, "SET LOCAL statement_timeout = 0", {})
            _run(connection, f"CREATE TEMP TABLE made ON COMMIT DROP AS {_NUMBERS}", values)
            for statement in (*_INSERT, *(_ARCHIVE if first <= archived else ())):
                _run(connection, statement, values)
    return tenant


def _run(connection: sa.Connection, sql: str, values: dict[str, object]) -> None:
    """Run a statement with those of the values that it names."""
    used = {name: value for name, value in values.items() if f":{name}" in sql}
    connection.execute(sa.text(sql), used)
