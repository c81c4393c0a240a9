"""Customers and suppliers: single entries, pages, bulk additions, checks of reachability."""
