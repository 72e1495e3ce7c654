"""The engine of a workshop for variants: their files and drafts, and what happens to them while somebody types.

    collection = Collection(folder)                  variants on disk, each a plain folder
    variant = collection.new(Over(), "My variant")
    variant.draft("rules.edict", text)               kept at once, and not yet saved
    seen = variant.snapshot()                        all below looks at a snapshot: files, with drafts laid over

`snapshots` makes its rules, `scene_runs` plays the scenes beside them, `playtests` begins and continues games,
`scene_recording` makes scenes of them, `evaluation` studies the variant against what it is laid over. Nothing here
knows a page or a protocol.
"""
