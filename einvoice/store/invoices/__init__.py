"""Reading invoices: one, pages, totals, search, drafts, artefacts and share links."""
