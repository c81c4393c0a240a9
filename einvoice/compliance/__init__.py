"""Mandates of countries for electronic invoices, with source and day of the last check.

Plain Python; imports domain only.
"""
