"""What is kept: tables, and the queries on them. Ids cross modules, records do not."""
