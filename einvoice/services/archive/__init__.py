"""Moving documents and evidence out of the database, and keeping them as long as they must be."""
