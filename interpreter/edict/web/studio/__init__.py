"""The studio: a page on which people write rules, read what they mean, and play them at once.

`desk` is a variant that somebody works on, with the language service over its texts; `language` answers the editor,
`meaning` fills what stands beside it, `playing` opens tables, `tutorial` reads steps that check themselves.
"""
