"""A learning curve as a picture: python examples/self-play/curve.py curve.json -o curve.svg"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from edict.support.svg import format_points, render_element, render_text

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 60, 150, 20, 50
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")  # told apart by those who see colours otherwise, too

STEPS = (1, 2, 5, 10, 20, 50, 100, 200)  # between two rounds that are marked
STYLE = (
    "text{font:14px sans-serif;fill:#222}line{stroke:#ccc}polyline{fill:none;stroke-width:2.5}"
    ".even{stroke-dasharray:5 5;stroke-width:1.5}"
    "@media(prefers-color-scheme:dark){svg{background:#181818}text{fill:#eee}line{stroke:#444}}"
)


def drawn(curve: Sequence[dict[str, Any]]) -> str:
    """The share of victories against `greedy` by round, a line for each number of players; dashed: an even share."""
    last = max(point["round"] for point in curve)
    across, down = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def at(number: float, share: float) -> tuple[float, float]:
        return LEFT + across * number / last, TOP + down * (1 - share)

    parts = [render_element("title", "Wins against greedy while learning"), render_element("style", STYLE)]
    for tenth in range(0, 11, 2):
        y = TOP + down * (1 - tenth / 10)
        parts.append(render_element("line", x1=LEFT, x2=LEFT + across, y1=y, y2=y))
        parts.append(render_text(f"{tenth * 10} %", x=LEFT - 8, y=y + 5, text_anchor="end"))
    for number in range(0, last + 1, next((step for step in STEPS if last <= 6 * step), last)):
        x = LEFT + across * number / last
        parts.append(render_text(str(number), x=x, y=HEIGHT - BOTTOM + 20, text_anchor="middle"))
    parts.append(render_text("rounds of self-play", x=LEFT + across / 2, y=HEIGHT - 8, text_anchor="middle"))
    for colour, players in zip(COLOURS, curve[-1]["wins"], strict=False):
        shares = [(point["round"], point["wins"][players]) for point in curve]
        others, even, end = int(players) - 1, 1 / int(players), shares[-1][1]
        parts.append(render_element("polyline", stroke=colour, points=format_points(at(*point) for point in shares)))
        parts.append(
            render_element(
                "polyline", class_="even", stroke=colour, points=format_points([at(0, even), at(last, even)])
            )
        )
        y = TOP + down * (1 - end) + 5
        parts.append(render_text(f"against {others} greedy", x=LEFT + across + 8, y=y, style=f"fill:{colour}"))
    size = f"0 0 {WIDTH} {HEIGHT}"
    inside = "\n".join(["", *parts, ""])
    return render_element("svg", inside, xmlns="http://www.w3.org/2000/svg", viewBox=size, role="img") + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("curve", type=Path, help="what `learn.py --curve` wrote")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the picture to write, as SVG")
    chosen = parser.parse_args()
    chosen.output.write_text(drawn(json.loads(chosen.curve.read_text(encoding="utf-8"))), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
