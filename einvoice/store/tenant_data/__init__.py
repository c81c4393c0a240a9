"""All data of a tenant: export, import, erasure."""
