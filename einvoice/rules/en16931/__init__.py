"""The CEN layers of EN 16931, release 1.3.16: one package a syntax, one file a topic."""
