"""A PostgreSQL database of two tenants with thousands of rows in every table that grows.

Autovacuum is off, so that the statistics are exactly those that a test asks for.
"""

from __future__ import annotations

import re

import sqlalchemy as sa
from sqlalchemy.engine import Connection

TENANTS = ("ann", "bob")

_TENANT = """
INSERT INTO tenants (id, name, strict_idempotency, reject_duplicate_numbers, profile, created_at)
VALUES (:tenant, :tenant, false, false, '{}', now());
INSERT INTO webhook_endpoints (id, tenant_id, environment, url, event_types, status, secret,
    signing_secret, created_at, updated_at)
VALUES ('hook-' || :tenant, :tenant, 'test', 'https://hook.test', '[]', 'active', '', '', now(),
    now())
"""
# `i` counts the invoices; their times are spread like the ticks of a clock.
_ROWS = """
INSERT INTO registrations (id, tenant_id, environment, participant, access_point, registered,
    document_types, checked_at, created_at)
SELECT :tenant || '-reg-' || i, :tenant, 'test', '0208:' || i, 'simulator', true, '[]', now(), now()
FROM {numbers};
INSERT INTO invoices (id, tenant_id, environment, direction, kind, number, issue_date, currency,
    subtotal, tax_amount, grand_total, payable, supplier_name, buyer_name, sender, receiver,
    transmission_id, rule_pack, findings, warnings, created_at, original_type, original, document)
SELECT :tenant || '-inv-' || i, :tenant, 'test',
    CASE WHEN i % 5 = 4 THEN 'received' ELSE 'sent' END,
    'invoice', 'N-' || i, current_date, 'EUR', 100, 21, 121, 121, 'Seller', 'Buyer',
    '0208:0123456749', '0208:' || i % 50, :tenant || '-txn-' || i, 'pack', '[]', '[]',
    now() - make_interval(secs => i * 7919 % 100003), 'application/json', '{}',
    convert_to(repeat(md5(i::text), 40), 'UTF8')
FROM {numbers};
INSERT INTO transmissions (id, invoice_id, tenant_id, environment, access_point, registration_id,
    document_type, process, status, phase, answered, attempts, fence, retry_until, attention,
    rejected, created_at, listed_at, settled_at)
SELECT :tenant || '-txn-' || i, :tenant || '-inv-' || i, :tenant, 'test', 'simulator',
    :tenant || '-reg-' || i, 'a::b', 'c::d',
    CASE WHEN i % 5 = 4 THEN 'Received' WHEN i % 500 = 3 THEN 'Failed' ELSE 'Delivered' END,
    'done', 'processing', 1, 1, now(), false, false, now(),
    now() - make_interval(secs => i * 7919 % 100003), now()
FROM {numbers};
INSERT INTO transmissions (id, tenant_id, environment, access_point, document_type, process,
    status, phase, attempts, fence, retry_until, attention, rejected, created_at, settled_at)
SELECT 'msg_' || :tenant || i, :tenant, 'test', 'simulator', 'a::b', 'c::d',
    CASE WHEN i % 500 = 3 THEN 'Failed' ELSE 'Delivered' END, 'done', 1, 1, now(), false, false,
    now() - make_interval(secs => i * 7919 % 100003), now() - make_interval(hours => 5000 - i)
FROM {numbers};
INSERT INTO messages (id, tenant_id, environment, access_point, key, kind, content_type, file_name,
    sender, receiver, document_type, process, document, status, phase, attempts, fence, retry_until,
    attention, created_at)
SELECT 'msg_' || :tenant || i, :tenant, 'test', 'simulator', :tenant || i, 'TSR', '', '', 's', 'r',
    'a::b', 'c::d', '', 'Delivered', 'done', 1, 1, now(), false, now() FROM {numbers};
INSERT INTO attempts (transmission_id, number, started_at, ended_at, outcome)
SELECT :tenant || '-txn-' || i, 1, now(), now(), 'Delivered' FROM {numbers};
INSERT INTO events (id, tenant_id, environment, type, invoice_id, payload, created_at)
SELECT :tenant || '-evt-' || i, :tenant, 'test', 'transaction.sent', :tenant || '-inv-' || i, '{}',
    now() - make_interval(hours => 5000 - i) FROM {numbers};
INSERT INTO webhook_deliveries (id, tenant_id, endpoint_id, event_id, event_type, trigger, status,
    attempts, created_at)
SELECT :tenant || '-del-' || i, :tenant, 'hook-' || :tenant, :tenant || '-evt-' || i,
    'transaction.sent', 'schedule', 'delivered', 1, now() - make_interval(hours => 5000 - i)
FROM {numbers};
INSERT INTO idempotency_keys (tenant_id, environment, space, key, fingerprint, invoice_id,
    transmission_id, created_at)
SELECT :tenant, 'test', 'send', 'key-' || i, md5(i::text), :tenant || '-inv-' || i,
    :tenant || '-txn-' || i, now() - make_interval(hours => 5000 - i) FROM {numbers};
INSERT INTO received (invoice_id, tenant_id, environment, access_point, sender, receiver,
    instance_id, document_type, process, sha256, created_at, processed_at)
SELECT :tenant || '-inv-' || i, :tenant, 'test', 'simulator', 's', 'r', :tenant || '-msg-' || i,
    'a::b', 'c::d', 'x', now() - make_interval(secs => i * 7919 % 100003),
    CASE WHEN i % 20 = 4 THEN NULL ELSE now() END FROM {numbers} WHERE i % 5 = 4;
INSERT INTO submissions (invoice_id, form, network, took_ms)
SELECT :tenant || '-inv-' || i, 'ubl', 'peppol', 3 FROM {numbers} WHERE i % 3 = 0;
INSERT INTO share_links (id, tenant_id, invoice_id, digest, created_at)
SELECT :tenant || '-link-' || i, :tenant, :tenant || '-inv-' || i, md5(:tenant || i::text), now()
FROM {numbers} WHERE i % 10 = 0;
INSERT INTO customers (id, tenant_id, name, name_key, tax_key, peppol_id, peppol_key, country_code,
    network_status, source, version, created_at, updated_at, search)
SELECT :tenant || '-cus-' || i, :tenant, 'N' || i, 'n' || i, 'T' || i, '0208:' || i, '0208:' || i,
    'BE', 'Unknown', 'manual', 1, now() - make_interval(secs => i), now(), 'n' || i FROM {numbers};
INSERT INTO suppliers (id, tenant_id, name, name_key, tax_key, country_code, network_status, source,
    version, created_at, updated_at, search)
SELECT :tenant || '-sup-' || i, :tenant, 'N' || i, 'n' || i, 'T' || i, 'BE', 'Unknown', 'manual',
    1, now() - make_interval(secs => i), now(), 'n' || i FROM {numbers};
INSERT INTO supplier_accounts (tenant_id, environment, supplier_key, account, invoice_id, doubted,
    created_at)
SELECT :tenant, 'test', 'T' || i, 'A' || i, :tenant || '-inv-' || i, i % 20 = 0, now()
FROM {numbers};
INSERT INTO participants (id, tenant_id, environment, participant, created_at)
SELECT :tenant || '-par-' || i, :tenant, 'test', '0208:' || :tenant || i, now() FROM {numbers}
WHERE :tenant = 'bob' OR i % 1000 = 1;
INSERT INTO batches (id, tenant_id, environment, total, created_at)
SELECT :tenant || '-bat-' || i, :tenant, 'test', 1, now() - make_interval(hours => 5000 - i)
FROM {numbers};
INSERT INTO batch_items (batch_id, position, invoice_id)
SELECT :tenant || '-bat-' || i, 0, :tenant || '-inv-' || i FROM {numbers};
INSERT INTO outbox (kind, lane, subject_id, tenant_id, access_point, due_at)
SELECT 'transmission', 'bulk', :tenant || '-due-' || i, :tenant, 'simulator',
    now() + make_interval(secs => i - 1000) FROM {numbers} WHERE i % 2 = 0;
INSERT INTO outbox (kind, lane, subject_id, tenant_id, endpoint_id, due_at)
SELECT 'webhook', 'webhooks', :tenant || '-owed-' || i, :tenant, 'hook-' || :tenant,
    now() + make_interval(secs => i - 1000) FROM {numbers} WHERE i % 2 = 0
"""
# The first transmissions and deliveries are in the hands of a worker.
_LEASED = """
UPDATE transmissions SET status = 'Processing', phase = 'queued', answered = NULL, fence = 0
WHERE id IN (SELECT :tenant || '-txn-' || i FROM {numbers}
    UNION ALL SELECT 'msg_' || :tenant || i FROM {numbers});
INSERT INTO outbox (kind, lane, subject_id, tenant_id, access_point, due_at, token, lease_until)
SELECT 'message', 'chores', 'msg_' || :tenant || i, :tenant, 'simulator', now(), 'token',
    now() + interval '1 hour' FROM {numbers};
INSERT INTO outbox (kind, lane, subject_id, tenant_id, access_point, due_at, token, lease_until)
SELECT 'transmission', 'bulk', :tenant || '-txn-' || i, :tenant, 'simulator', now(), 'token',
    now() + interval '1 hour' FROM {numbers};
INSERT INTO outbox (kind, lane, subject_id, tenant_id, endpoint_id, due_at, token, lease_until)
SELECT 'webhook', 'webhooks', :tenant || '-del-' || i, :tenant, 'hook-' || :tenant, now(), 'token',
    now() + interval '1 hour' FROM {numbers};
INSERT INTO outbox (kind, lane, subject_id, tenant_id, access_point, due_at, token, lease_until)
SELECT 'lookup', 'chores', :tenant || '-cus-' || i, :tenant, NULL, now(), 'token',
    now() + interval '1 hour' FROM {numbers}
"""


def run(
    connection: Connection, script: str, tenant: str = "", first: int = 0, last: int = 0
) -> None:
    """Run statements, with the tenant and the numbers `i` from first to last put in."""
    text = script.replace("{numbers}", f"generate_series({first}, {last}) AS i")
    text = re.sub(r"(?<!:):tenant", f"'{tenant}'", text)
    for statement in text.split(";\n"):
        connection.exec_driver_sql(statement.replace("%", "%%"))


def begin(connection: Connection) -> None:
    """Turn autovacuum off and add two tenants."""
    for table in sa.inspect(connection).get_table_names():
        run(connection, f"ALTER TABLE {table} SET (autovacuum_enabled = false)")
    for tenant in TENANTS:
        run(connection, _TENANT, tenant)


def grow(connection: Connection, first: int, last: int) -> None:
    """Add the rows from first to last to both tenants; the first hundred are being worked on."""
    for tenant in TENANTS:
        run(connection, _ROWS, tenant, first, last)
    if first == 1:
        run(connection, _LEASED, TENANTS[0], 1, 100)
