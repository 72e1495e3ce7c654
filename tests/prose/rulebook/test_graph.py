"""Tests of `graph`, which shows how rules affect each other."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from calling import make_manifest
from calling import write_files as lay
from edict.prose.rulebook.cross_references import find_references
from reading import VARIANT, Call, load_annotated, write_module

NODE = re.compile(r'  "((?:[^"\\]|\\.)*)" \[label="(?:[^"\\]|\\.)*" shape="\w+"\];')
EDGE = re.compile(r'  "((?:[^"\\]|\\.)*)" -> "((?:[^"\\]|\\.)*)" \[label="(?:[^"\\]|\\.)*"\];')


EDGES = {
    ("church", "adjusts", "strength", ""),
    ("inn", "happens at", "season", "end"),
    ("statue", "happens at", "rolled", ""),
    ("market", "shifts", "influence", ""),
    ("envoy-visit", "excepts", "influence", "one-guest"),
    ("heavy-snow", "replaces", "muster", ""),
    ("greedy-king", "replaces", "kings-reward", ""),
    ("calendar-year", "plays", "winter", ""),
    ("king", "does", "recruit", ""),
    ("construct", "triggers", "constructed", ""),
    ("construct", "changes", "owned", ""),
    ("construct", "reads", "price", ""),
    ("merchant", "changes", "gold", ""),
    ("envoy-visit", "changes", "envoy", ""),
    ("roll-dice", "changes", "hand", ""),
    ("scout", "reveals", "foe", ""),
}


def test_every_kind_of_reference_is_found_between_named_rules() -> None:
    known = load_annotated("kingsburg", "destiny")
    edges = {(one.who, one.how, one.whom, one.part) for one in find_references(known)}
    assert EDGES - edges == set()
    names = known.definitions.keys() | known.standalone.keys()
    assert all(who in names and whom in names and who != whom for who, _, whom, _ in edges)


def test_graph_of_one_thing_lists_both_directions(call: Call, tmp_path: Path) -> None:
    variant = str(write_module(tmp_path / "my-variant", VARIANT))
    said = call("graph", "squire", "--with", variant).stdout
    assert said.startswith("Squire (advisor squire)\n")
    assert "  amended by\n    module my-variant, reward  [court.edict:9  my-variant]" in said
    assert "    changes gold (resource gold)  [court.edict:10  my-variant]" in said
    strength = call("graph", "battle strength").stdout
    assert "  adjusted by\n    Barricade: +1 to battle strength if the attackers include Goblins." in strength


def test_whole_graph_omits_mere_mentions(call: Call) -> None:
    said = call("graph", "--game", "kuhn-poker").stdout
    assert said and "mentioned in" not in said and "changed in" not in said


EVIL = """resource coin "coin/coins"
keep seats as order of player, quiet
kind spy "spy \\\\ name"
spy mole "A -> B; <i>]"
  when start of turn
    each player
      do scout
routine scout "look around"
  gain 1 coin
phase turn "Turn"
  each player
    gain 1 coin
game evil "Evil"
  players 2 to 2
  order seats
  winners everyone
  score coin of you
  course
    play turn
"""


def test_graphviz_output_is_valid(call: Call, tmp_path: Path) -> None:
    """Every line is a node or an edge, each edge joins declared nodes, and titles are escaped."""
    pydot = pytest.importorskip("pydot")
    lay(tmp_path, {"evil/module.yaml": make_manifest("evil", "game"), "evil/rules.edict": EVIL})
    text = call("graph", "--format", "dot", "--game", "./evil").stdout
    said = text.splitlines()
    assert said[0] == "digraph rules {" and said[-1] == "}"
    nodes = [found[1] for line in said if (found := NODE.fullmatch(line))]
    joined = [found.groups() for line in said if (found := EDGE.fullmatch(line))]
    assert len(nodes) + len(joined) + 3 == len(said), "nothing else is written"
    assert len(nodes) == len(set(nodes)) and {end for edge in joined for end in edge} == set(nodes)
    assert "mole" in nodes and '  "turn" [label="Turn (phase)" shape="box"];' in said
    (graph,) = pydot.graph_from_dot_data(text)  # and so does a library for graphs
    assert ("mole", "scout") in {
        (one.get_source().strip('"'), one.get_destination().strip('"')) for one in graph.get_edges()
    }


def test_graph_as_data(call: Call) -> None:
    data = json.loads(call("graph", "crane", "--format", "json").stdout)
    assert {"name": "crane", "title": "Crane", "sort": "building"} in data["nodes"]
    (edge,) = (edge for edge in data["edges"] if edge["how"] == "adjusts")
    assert edge["to"] == "price"
    assert edge["words"] == "-1 to the price in gold of each building whose column is at least 3."


def test_graph_rejects_wrong_arguments(call: Call, subtests: pytest.Subtests) -> None:
    for words, said in (
        (("zzz",), "nothing named `"),
        (("--format", "svg"), "invalid value `svg` for --format"),
        (("--with", "no"), "E0150"),
    ):
        with subtests.test(words=words):
            done = call("graph", *words)
            assert done.returncode == 2 and said in done.stderr
