"""The report on any number of files as one page of HTML: verdicts, findings, and the invoices.

The page is self-contained (no script, nothing is loaded) and prints well. `entries` makes the part
of each file, in any process; `page` puts them together with memory that does not grow with their
number; `invoices` shows an invoice as a person reads it. Texts of documents are escaped, cut, and
without characters that change how others are shown (`texts`).
"""
