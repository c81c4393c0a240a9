"""The national rules of the Peppol layers: one package a country.

A country's package holds its contexts and rules for each syntax (`ubl.py`, `cii.py`) and, in its
`__init__`, the codes and conditions that they share. Peppol publishes CII rules for some countries
only. `registry` lists the countries, and the Peppol books take their chapters from it: a new
country is a new package and one row there. `parties_ubl` and `parties_cii` read the country and the
tax registrations of the parties.
"""
