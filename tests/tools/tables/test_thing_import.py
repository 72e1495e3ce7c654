"""Tables of things: read as spreadsheets save them, matched with fields, printed as rules, and written back."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from edict.compiler.sources.folders import Manifest
from edict.compiler.sources.module_set import Module
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing import join_lines, print_lines
from edict.compiler.syntax.printing.canonical import format_source
from edict.prose.rulebook.annotated_rules import AnnotatedRules, annotate_rules, read_annotated_rules, remove_judgement
from edict.support.request_errors import RequestError
from edict.support.text import Source
from edict.tools.operations import show_all
from edict.tools.tables.columns import build_rows, match_columns, require_kind
from edict.tools.tables.spreadsheets import read_table, write_csv
from edict.tools.tables.thing_import import ThingBuilder, ThingImport, import_things
from shipped import catalogue

SHOP = """
resource coin "coin/coins"
resource log "log/logs"

kind street "street/streets"
street oak "Oak Street"
street elm "Elm Street"

kind shop "shop/shops"
  street street
  price amounts "costs"
  worth number from 0 to 9 "VP"
  corner truth, optional
  streets set of street, optional
  greeting effect "on entering", optional
  works if shop is in owned of you

shop bakery "Bakery"
  text "Bread."
  street oak
  price 2 coin
  worth 1
  greeting gain 1 coin

keep owned of player as set of shop
keep seating as order of player

game shops "Shops"
  players 2 to 4
  order seating
  winners everyone
  score coin of you
  course
    each player
      gain 1 coin
"""


@cache
def read_shops(text: str = SHOP) -> AnnotatedRules:
    manifest = Manifest("shops", "Shops", "1.0.0", "game", language=1)
    return annotate_rules((Module(manifest, Path("shops"), (Source("shops/shops.edict", text),)),)).unwrap()


def import_shops(table: str | bytes, amend: bool = False) -> ThingImport:
    rules = read_shops()
    raw = table if isinstance(table, bytes) else table.encode()
    return import_things(rules, require_kind(rules, "Shop"), read_table("shops.csv", raw), amend)


INN = 'shop inn "Inn"\n  street elm\n  price 2 coin, 1 log\n  worth 3\n'
TABLE = 'Title,Street,Costs,VP\nInn,Elm Street,"2 coins, 1 log",3\n'


def test_columns_and_cells_match_by_name_or_title() -> None:
    assert import_shops(TABLE).text == INN
    assert import_shops("SHOP,street,Price,v p\nInn,elm,1 log; 2 coin,3.0\n").text == INN.replace(
        "2 coin, 1 log", "1 log, 2 coin"
    )
    assert import_shops("Street,Name,costs,worth\nelm,Inn,2 coin and 1 log,3\n").text == INN
    assert import_shops("what,street,price,worth\nInn,elm,2 x Coin + 1 Log,3\n").text == INN


def test_amounts_may_be_spread_over_columns() -> None:
    assert import_shops("title,street,coins,LOG,worth\nInn,elm,2,1,3\n").text == INN
    assert import_shops("title,street,Cost coin,price: log,worth\nInn,elm,2,1,3\n").text == INN
    assert "price 1 log\n" in import_shops("title,street,coin,log,worth\nInn,elm,0,1,3\n").text
    assert "price 2 coin\n" in import_shops('title,street,coin,worth\nInn,elm,"2,0",3\n').text
    for headers in ("price,coin", "coin,price"):
        with pytest.raises(RequestError, match=r"are both for `price \(coin\)`"):
            import_shops(f"title,street,{headers},worth\nInn,elm,2,2,3\n")


@pytest.mark.parametrize(
    "raw",
    [
        b"\xef\xbb\xbf" + TABLE.encode(),
        TABLE.replace("\n", "\r\n").encode(),
        TABLE.encode("utf-16"),
        b"Title;Street;Costs;VP\r\nInn;Elm Street;2 coins, 1 log;3\r\n;;;\r\n",
        b"sep=;\nTitle;Street;Costs;VP\nInn;Elm Street;2 coins, 1 log;3\n",
        b"Title\tStreet\tCosts\tVP\nInn\tElm Street\t2 coins, 1 log\t3\n",
        json.dumps([{"title": "Inn", "street": "elm", "price": {"coin": 2, "log": 1}, "VP": 3}]).encode(),
        json.dumps([{"title": "Inn", "street": "elm", "coin": 2, "log": 1, "VP": 3, "corner": None}]).encode(),
    ],
)
def test_table_is_read_as_spreadsheets_save_it(raw: bytes) -> None:
    assert import_shops(raw).text == INN


def test_older_encoding_of_spreadsheets_is_read() -> None:
    imported = import_shops("title,street,price,worth\nCafé,elm,1 coin,3\n".encode("cp1252"))
    assert 'shop café "Café"' in imported.text


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "has no rows"),
        (b"title,worth\n", "has no rows"),
        (b"\x00\x01", "is not a text file"),
        (b"title,title\nInn,Inn\n", "has two columns `title`"),
        (b"[1]", "is not a list of objects"),
        (b"[", "cannot be read as JSON"),
        (b"title,worth\nInn, the old,3,4\n", "row 2: 4 cells for 2 columns"),
        (b"x" * 1_000_001, "has more than 1,000,000 bytes"),
    ],
)
def test_table_that_cannot_be_read_is_refused(raw: bytes, reason: str) -> None:
    with pytest.raises(RequestError, match=reason):
        import_shops(raw)


def test_cells_of_all_types_become_values() -> None:
    table = (
        "title,street,price,worth,corner,streets,greeting,text,rules,source,origin\n"
        'Inn,elm,1 coin,0,Yes,"Oak Street, elm",gain 2 coin,Beds.,when gaining coin\n  nothing,p. 3,printed\n'
    ).replace("when gaining coin\n  nothing", '"when gaining coin\n  gain 1 log"')
    rules = read_shops()
    kind = require_kind(rules, "shops")
    file = read_table("shops.csv", table.encode())
    thing = ThingBuilder(rules, kind, file, match_columns(file.headers, kind, rules.book)).build_thing(file.rows[0])
    assert join_lines(print_lines(thing)) == (
        'shop inn "Inn"\n  text "Beds."\n  street elm\n  price 1 coin\n  worth 0\n  corner yes\n  streets oak, elm\n'
        '  greeting gain 2 coin\n  source "p. 3"\n  origin printed\n  when gaining coin\n    gain 1 log\n'
    )


def test_printed_rules_are_formatted() -> None:
    table = TABLE + 'Mill,oak,1 log,2\n"Long ""Bar""",oak,1 log,2\n7 Wells,oak,1 log,2\n'
    imported = import_shops(table)
    assert imported.ok and imported.count == 4
    assert format_source(Source("shops.edict", imported.text)).unwrap() == imported.text
    assert "shop long-bar \"Long 'Bar'\"" in imported.text and 'shop shop-7-wells "7 Wells"' in imported.text


def test_empty_cell_leaves_its_field_out() -> None:
    imported = import_shops("title,street,price,worth,corner\nInn,elm,1 coin,2,\nMill,elm,,2,no\n")
    assert imported.text.count("corner") == 1
    (diagnostic,) = imported.diagnostics
    assert diagnostic.title == "row 3, column `price`: the cell is empty, but every shop needs `price`"


@pytest.mark.parametrize(
    ("header", "cell", "title"),
    [
        ("worth", "12", "`worth` is 12, out of range"),
        ("worth", "many", "`worth` takes a number from 0 to 9, but this is"),
        ("street", "Elm Streat", "`elm-streat` is not a street"),
        ("price", "3 pearls", "`pearls` cannot be counted"),
        ("price", "3", "`price` takes amounts, but this is the number 3"),
        ("greeting", "gian 1 coin", ""),
        ("rules", "gain 1 coin", ""),
    ],
)
def test_fault_is_reported_with_row_and_column(header: str, cell: str, title: str) -> None:
    cells = {"title": "Mill", "street": "elm", "price": "1 log", "worth": "2", "greeting": "", "rules": ""}
    good = ",".join(cells.values())
    bad = ",".join((cells | {"title": "Inn", header: cell}).values())
    imported = import_shops(f"{','.join(cells)}\n{good}\n\n{bad}\n")
    assert not imported.ok
    for diagnostic in imported.diagnostics:
        assert diagnostic.title.startswith(f"row 4, column `{header}`: {title}")
        assert (diagnostic.span.file, diagnostic.span.line) == ("shops.csv", 4)
        assert not diagnostic.edits


def test_faults_of_all_cells_are_reported_at_once() -> None:
    table = 'title,street,coin,log,worth\nInn,elm,two,1,"2,5"\n\nMill,elm,,,2\nTower,elm,"1,5",-1,2\nGate,elm,1,,\n'
    assert [diagnostic.title for diagnostic in import_shops(table).diagnostics] == [
        "row 2, column `coin`: `two` is not a whole number",
        "row 2, column `worth`: `2,5` is not a whole number",
        "row 4, column `coin`: the cell is empty, but every shop needs `price`",
        "row 5, column `coin`: `1,5` is not a whole number",
        "row 5, column `log`: `-1` is not a whole number",
        "row 6, column `worth`: the cell is empty, but every shop needs `worth`",
    ]
    (diagnostic,) = import_shops(TABLE.replace("2 coins, 1 log", "2,5 coins, 1 log")).diagnostics
    assert diagnostic.title == "row 2, column `Costs`: `2,5` is not a whole number"


def test_two_rows_that_may_not_be_the_same_are_named() -> None:
    rules = read_shops(SHOP.replace("  works if", "  unique street\n  works if", 1))
    table = read_table("shops.csv", (TABLE + 'Mill,elm,"1 log",2\n').encode())
    (diagnostic,) = import_things(rules, require_kind(rules, "shop"), table).diagnostics
    assert diagnostic.code == "E0534"
    assert [(label.span.file, label.span.line) for label in diagnostic.labels] == [("shops.csv", 2), ("shops.csv", 3)]


def test_empty_rows_above_the_headers_are_skipped() -> None:
    imported = import_shops("\n,,,\n" + TABLE.replace(",3\n", ",many\n"))
    assert [diagnostic.title.partition(":")[0] for diagnostic in imported.diagnostics] == ["row 4, column `VP`"]


def test_misspelt_column_is_refused_and_foreign_one_left_out() -> None:
    with pytest.raises(RequestError, match="no field for the column `Wroth`") as refusal:
        import_shops(TABLE.replace("VP", "Wroth"))
    assert "did you mean `VP`?" in refusal.value.remedy
    lines = import_shops(TABLE.replace("\n", ",Artist\n", 1).replace("3\n", "3,Ann\n")).preview()
    assert lines[0] == "shops.csv: 1 row, 1 definition of shops"
    assert [line.split() for line in lines[1:]] == [
        ["Title", "->", "title"],
        ["Street", "->", "street"],
        ["Costs", "->", "price"],
        ["VP", "->", "worth"],
        ["Artist", "->", "left", "out"],
    ]


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("title,street,price\nInn,elm,1 coin\n", "has no column for `worth`"),
        ("street,title,price,worth\nelm,,1 coin,1\n", "row 2: there is no title"),
        ("street,price,worth\nelm,1 coin,1\n", "no column has the titles"),
        (TABLE + "Mill,elm,1 log,1\ninn!,oak,1 log,1\n", "row 4: `inn!` is in row 2, too"),
        (TABLE.replace("Inn", "Log"), r"row 2: `log` is already the name of something else \(resource\)"),
        (TABLE.replace("Inn", "Bakery"), "`Bakery` of `shops.csv` exist already"),
    ],
)
def test_missing_and_taken_names_are_refused(table: str, reason: str) -> None:
    with pytest.raises(RequestError, match=reason):
        import_shops(table)


def test_amending_writes_what_differs() -> None:
    assert import_shops("title,worth\nBakery,1\n", amend=True).count == 0
    assert import_shops("title,worth\nBakery,4\n", amend=True).text == "amend shop bakery\n  worth 4\n"
    both = import_shops("title,street,price,worth\nBakery,oak,2 coin,1\nInn,elm,1 log,1\n", amend=True)
    assert both.ok and both.text == 'shop inn "Inn"\n  street elm\n  price 1 log\n  worth 1\n'
    renamed = import_shops("name,title,text\nbakery,Old Bakery,Bread.\n", amend=True)
    assert renamed.ok and renamed.text == 'amend shop bakery "Old Bakery"\n'


def test_amending_rewrites_what_loses_a_part() -> None:
    imported = import_shops("title,greeting\nBakery,\n", amend=True)
    assert imported.ok and imported.text == (
        'rewrite shop bakery "Bakery"\n  text "Bread."\n  street oak\n  price 2 coin\n  worth 1\n'
    )


# --- written back ----------------------------------------------------------------------------------


def test_row_has_a_cell_for_each_field_and_the_description_last() -> None:
    (row,) = build_rows(read_shops(), "shops")
    assert list(row) == [
        *("name", "title", "street", "price", "worth", "corner", "streets", "greeting"),
        *("text", "rules", "source", "origin", "module", "description"),
    ]
    assert row["price"] == "2 coin" and row["greeting"] == "gain 1 coin" and row["description"] == "Bread."
    with pytest.raises(RequestError, match="no kind of things named `shup` in Shops") as refusal:
        build_rows(read_shops(), "shup")
    assert refusal.value.remedy == "did you mean `shop`?"


def test_data_of_show_all_can_be_imported() -> None:
    rules = read_shops()
    result = show_all(rules, "shop")
    assert [(page["name"], page["sort"]) for page in result.data] == [("bakery", "shop")]
    assert import_shops(json.dumps(result.data), amend=True).count == 0
    assert [line.split() for _, line in result.lines][1][:2] == ["Bakery", "oak"]


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", sorted(catalogue()))
def test_exported_things_are_imported_as_they_were(name: str) -> None:
    rules = read_annotated_rules(str(catalogue()[name][0])).unwrap()
    shown = remove_judgement(rules)
    for kind in shown.definitions.values():
        if not isinstance(kind, t.Kind) or not shown.linked.things[kind.name.word]:
            continue
        table = read_table("table.csv", write_csv(build_rows(rules, kind.name.word)).encode())
        builder = ThingBuilder(rules, kind, table, match_columns(table.headers, kind, rules.book))
        for row in table.rows:
            thing = builder.build_thing(row)
            fields = tuple(value for value in thing.fields if value.name.word not in ("source", "origin"))
            old = shown.definitions[thing.name.word]
            assert not builder.diagnostics
            assert sorted(print_definition(replace(thing, fields=fields))) == sorted(print_definition(old))
        assert import_things(rules, kind, table, amend=True).count == 0


def print_definition(definition: t.Definition) -> list[str]:
    return [line.text for line in print_lines(definition)]
