"""einvoice: send e-invoices over Peppol and tax-authority networks and track their delivery."""
