"""What the business talks about, in plain Python: no framework, no storage, no network."""
