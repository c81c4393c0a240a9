"""The tables and the queries on them. Modules pass ids to each other, not records.

Its packages are named like the packages of services; each imports only those below (setup.cfg).
A module holds one group of tables; `sending` and `inbound` write across groups, in the transaction
that accepts or stores a document. Imports domain, clock and what is below, but no use cases.
"""
