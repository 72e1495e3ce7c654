"""The studio: a page on which people write rules, read what they mean, and play them at once.

`open_variants` has the variants that are being edited, each with the language service over its texts. `editor_api`
answers the editor; `variant_pages` has the pages of variants and of their changes; `side_panels` the panels beside
the rules; `form_routes` the forms for rules. `variant_games` starts and continues games in other processes;
`tutorial` reads tutorials and checks their steps.
"""
