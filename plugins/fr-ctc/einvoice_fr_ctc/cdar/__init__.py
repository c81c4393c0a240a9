"""Messages of the life cycle: CDAR (UN/CEFACT Cross Domain Acknowledgement and Response, D22B)."""
