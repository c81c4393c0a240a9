"""Share links at the dashboard: the tenant makes, replaces and revokes them."""
