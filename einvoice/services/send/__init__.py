"""Sending: JSON invoices, XML documents, batches, the legacy route and resends."""
