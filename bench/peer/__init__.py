"""A plain peer to compare with: the send of an invoice as a Flask app would usually have it."""
