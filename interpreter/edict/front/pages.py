"""The pages of rules kept for other processes: the game's own files are part of every module's check."""

from __future__ import annotations

from edict.language.page_cache import keep_page
from edict.sources.module_set import Modules


def keep_pages(modules: Modules) -> None:
    """Keep the pages of these rules, as far as they are new."""
    for source in (source for module in modules for source in module.sources):
        keep_page(source)
