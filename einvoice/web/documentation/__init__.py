"""The contract for readers: /openapi.json for machines, /docs for people."""
