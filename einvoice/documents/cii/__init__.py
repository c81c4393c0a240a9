"""UN/CEFACT Cross Industry Invoice D16B, in the profile of EN 16931."""
