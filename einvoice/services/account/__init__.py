"""Tenants: credentials of people and programs, profile, participant ids, audit log."""
