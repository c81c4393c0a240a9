"""Platforms: their tenants, usage, webhooks and events."""
