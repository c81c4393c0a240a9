"""The tables and the queries on them. Modules pass ids to each other, not records."""
