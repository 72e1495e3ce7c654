"""A learning curve as a picture: python examples/self-play/curve.py curve.json -o curve.svg"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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

    def at(number: float, share: float) -> str:
        return f"{LEFT + across * number / last:.1f},{TOP + down * (1 - share):.1f}"

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">']
    parts.append(f"<title>Wins against greedy while learning</title><style>{STYLE}</style>")
    for tenth in range(0, 11, 2):
        y = TOP + down * (1 - tenth / 10)
        parts.append(f'<line x1="{LEFT}" x2="{LEFT + across}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 5:.1f}" text-anchor="end">{tenth * 10} %</text>')
    for number in range(0, last + 1, next((step for step in STEPS if last <= 6 * step), last)):
        x = LEFT + across * number / last
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{number}</text>')
    parts.append(f'<text x="{LEFT + across / 2}" y="{HEIGHT - 8}" text-anchor="middle">rounds of self-play</text>')
    for colour, players in zip(COLOURS, curve[-1]["wins"], strict=False):
        shares = [(point["round"], point["wins"][players]) for point in curve]
        others, end = int(players) - 1, shares[-1][1]
        line = " ".join(at(number, share) for number, share in shares)
        parts.append(f'<polyline stroke="{colour}" points="{line}"/>')
        even = f"{at(0, 1 / int(players))} {at(last, 1 / int(players))}"
        parts.append(f'<polyline class="even" stroke="{colour}" points="{even}"/>')
        y = TOP + down * (1 - end) + 5
        parts.append(f'<text x="{LEFT + across + 8}" y="{y:.1f}" style="fill:{colour}">against {others} greedy</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("curve", type=Path, help="what `learn.py --curve` wrote")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the picture to write, as SVG")
    chosen = parser.parse_args()
    chosen.output.write_text(drawn(json.loads(chosen.curve.read_text(encoding="utf-8"))), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
