"""The public API: lookup, send, artefacts (credential x-api-key)."""
