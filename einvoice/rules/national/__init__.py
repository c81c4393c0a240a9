"""The national rules of the Peppol layers: one file a country, with its own patterns and chapter.

`identifiers` says how numbers of national registers are formed, `countries` whose rules apply.
The Peppol books bind the chapters; a country that joins is one more file and one more row there.
"""
