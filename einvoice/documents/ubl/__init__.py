"""UBL 2.1 invoices and credit notes, in the profile of Peppol BIS Billing 3.0."""
