"""Connections of tenants to networks, and what waits for one."""
