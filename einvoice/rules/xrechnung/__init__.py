"""XRechnung 3.0: the German CIUS of EN 16931, its Extension and CVD (clean vehicles).

Source: KoSIT, XRechnung Schematron 2.5.0 and 2.6.0 for XRechnung 3.0.2. KoSIT takes a part of the
rules of BIS Billing (the ids PEPPOL-EN16931-…) and adds its own: BR-DE for all documents, BR-DEX
for those of the Extension, BR-DE-CVD for purchases of vehicles. `scenarios` says which documents
these are and is imported with the rules of the service; the books in `ubl` and `cii` are imported
when the first XRechnung is judged.
"""
