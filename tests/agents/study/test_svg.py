"""SVG output: short numbers, and escaped text."""

from __future__ import annotations

from xml.etree import ElementTree

from edict.support.svg import format_number, format_percent, format_points, render_element, render_text


def test_svg_numbers_are_short() -> None:
    assert [format_number(number) for number in (3, 2.5, 1 / 3, -0.001, -1.25)] == ["3", "2.5", "0.33", "0", "-1.25"]
    assert format_percent(100 / 3) == "33.33%" and format_points([(0, 1.5), (10, 2)]) == "0,1.5 10,2"


def test_text_and_attributes_are_escaped() -> None:
    drawn = render_element("g", render_text('<b> & "', x=1, text_anchor="end", class_='a"b', style=""), id="one")
    read = ElementTree.fromstring(drawn)
    assert read.tag == "g" and read[0].text == '<b> & "'
    assert read[0].attrib == {"x": "1", "text-anchor": "end", "class": 'a"b'}
