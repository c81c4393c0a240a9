"""Reading invoices: details, lists, status, PDFs and share links."""
