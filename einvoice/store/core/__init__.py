"""The database, Redis and what every module of the store builds on: connections, types, rows."""
