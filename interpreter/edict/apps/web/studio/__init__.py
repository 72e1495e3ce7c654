"""The studio: a page on which people write rules, read what they mean, and play them at once.

`open_variants` are the variants that somebody works on, each with the language service over its texts; `editor_api`
answers the editor, `variant_pages` are pages of variants and what each changes, `side_panels` what stands beside the
rules, `variant_games` begins and continues games elsewhere, `tutorial` reads steps that check themselves.
"""
