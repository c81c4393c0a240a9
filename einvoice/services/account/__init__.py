"""Accounts of tenants: credentials, profile, participant ids, audit log, usage."""
