"""The contract as a machine reads it: /openapi.json, made of the code that answers."""
