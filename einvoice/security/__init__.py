"""Credentials: their formats, fingerprints, tokens and encryption.

Imports http, config, clock, observability and domain; storage is in services and store.
"""
