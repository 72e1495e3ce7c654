"""The engine of a workshop for variants: their files and drafts, and what happens to them while somebody types.

    shelf = Shelf(folder)                            variants on disk, each a plain folder
    variant = shelf.new(Over(), "My variant")
    variant.draft("rules.edict", text)               kept at once, and not yet saved
    seen = variant.snapshot()                        all below looks at a snapshot: files, with drafts laid over

`ruling` makes its rules, `scenes` plays the scenes beside them, `playing` begins and continues games, `recording` makes
scenes of them, `worth` studies the variant against what it is laid over. Nothing here knows a page or a protocol.
"""
