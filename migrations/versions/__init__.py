"""One module for each step of the schema, numbered in order."""
