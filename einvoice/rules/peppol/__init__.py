"""The Peppol layers of BIS Billing 3.0: one package a syntax, one file a topic."""
