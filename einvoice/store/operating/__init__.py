"""What operators and processes do: revisions of the schema, recoveries, sealed columns, plugins."""
