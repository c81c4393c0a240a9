"""What operators see of all tenants, networks and processes, and do there."""
