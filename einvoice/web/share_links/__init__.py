"""Share links at the dashboard: create, replace and revoke them."""
