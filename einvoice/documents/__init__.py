"""Documents on paper and wire: UBL, CII, CSV, PDF. Imports domain only."""
