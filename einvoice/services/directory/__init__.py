"""Customers and suppliers: entries, CSV import and export, seeding from invoices."""
