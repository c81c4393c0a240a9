"""Credentials: their shapes, fingerprints and seals. No storage."""
