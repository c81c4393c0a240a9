"""The tables and the queries on them. Modules pass ids to each other, not records.

Each module holds one group of tables and does not import another group's; only `acceptance` and
`resending` write across groups. Imports domain, clock and what is below, but no use cases.
"""
