"""Things as tables: a row for each thing of a kind, read from spreadsheets and written for them.

`spreadsheets` reads CSV, TSV and JSON; `columns` matches headers with the fields of a kind, and has the
table of a kind; `thing_import` has the definitions of a table, validated with the rules;
`thing_scenes` records scenes of imported things from random games.
"""
