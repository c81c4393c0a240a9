"""The operators' view of all tenants, networks and processes, and their actions there."""
