"""FA(3), the invoice of KSeF: structure, check, and what an invoice becomes."""
