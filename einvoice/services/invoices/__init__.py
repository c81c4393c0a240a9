"""Reading invoices: one invoice, lists, status, PDF and share links."""
