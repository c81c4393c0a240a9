"""Greece, GR-R-* and GR-S-*: composed invoice numbers, tax numbers and the marks of myDATA.

An invoice number has six parts separated by "|": tax number, date, branch, type, series, number.
Peppol publishes these rules for UBL only.
"""
