"""The tenant's own account at the dashboard: who is logged in, what belongs to the tenant."""
