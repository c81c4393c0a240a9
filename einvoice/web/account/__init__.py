"""The tenant's account at the dashboard: session, profile, credentials, webhooks, audit log."""
