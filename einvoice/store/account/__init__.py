"""Tenants, their credentials and participant ids, idempotency keys, the audit log, usage."""
