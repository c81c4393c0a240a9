"""Accounts of tenants at networks."""
