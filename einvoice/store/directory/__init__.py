"""Customers and suppliers: entries one by one, pages of them, many at once, and their checks."""
