"""All doors of the studio."""

from __future__ import annotations

from starlette.routing import Route

from edict.web.studio.beginning import BeginningDoors
from edict.web.studio.beside import Beside
from edict.web.studio.language import Language
from edict.web.studio.variant_page import Pages
from edict.web.studio.playing import Playing
from edict.web.studio.room import Room


def studio_routes(room: Room) -> list[Route]:
    """Those whose addresses are fixed come first."""
    playing = Playing(room)
    parts = (BeginningDoors(room), Language(room), playing, Beside(room, playing), Pages(room))
    return [route for part in parts for route in part.routes()]
