"""Received documents, responses to them, mailboxes and notices to access points."""
