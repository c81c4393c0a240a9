"""Credentials: their formats, fingerprints and encryption. No storage."""
