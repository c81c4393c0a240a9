"""Customers and suppliers at the dashboard (credential session JWT)."""
