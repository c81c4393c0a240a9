"""Use cases: one transaction each, plain arguments in, small frozen results out."""
