"""Work of operators and processes: revisions of the schema, recoveries, sealed columns, plugins."""
