"""`graph`: which rules affect which."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from reading import VARIANT, Call, rules, write

from edict.handbook.touching import touches

NODE = re.compile(r'  "((?:[^"\\]|\\.)*)" \[label="(?:[^"\\]|\\.)*" shape="\w+"\];')
EDGE = re.compile(r'  "((?:[^"\\]|\\.)*)" -> "((?:[^"\\]|\\.)*)" \[label="(?:[^"\\]|\\.)*"\];')


@pytest.fixture
def variant(tmp_path: Path) -> str:
    return str(write(tmp_path / "my-variant", VARIANT))


def edges() -> set[tuple[str, str, str, str]]:
    return {(x.who, x.how, x.whom, x.part) for x in touches(rules("kingsburg", "destiny"))}


@pytest.mark.parametrize(
    "edge",
    [
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
    ],
)
def test_each_way_of_touching(edge: tuple[str, str, str, str]) -> None:
    assert edge in edges()


def test_whoever_touches_is_there_and_whom_is_touched_too() -> None:
    """Every edge ends at something with a name; nothing touches itself."""
    known = rules("kingsburg", "destiny")
    names = known.definitions.keys() | known.standing.keys()
    for who, _, whom, _ in edges():
        assert who in names and whom in names and who != whom


def test_of_one_thing_whom_it_touches_and_who_touches_it(call: Call, variant: str) -> None:
    said = call("graph", "squire", "--with", variant).stdout
    assert said.startswith("Squire (advisor squire)\n")
    assert "  amended by\n    module my-variant, reward  [court.edict:9  my-variant]" in said
    assert "    changes gold (resource gold)  [court.edict:10  my-variant]" in said


def test_a_number_is_told_with_what_changes_it(call: Call) -> None:
    said = call("graph", "battle strength").stdout
    assert "  adjusted by\n    Barricade: +1 to battle strength if the attackers include Goblins." in said


def test_the_whole_picture_leaves_out_the_small_print(call: Call) -> None:
    said = call("graph", "--game", "kuhn-poker").stdout
    assert said and "mentioned in" not in said and "changed in" not in said


def test_graphviz_reads_it(call: Call, tmp_path: Path) -> None:
    """Every line is a node or an edge, each edge joins declared nodes, and whatever is in titles is escaped."""
    evil = 'kind spy "spy \\\\ name"\nspy mole "A -> B; <i>]"\n  when start of season\n'
    evil += "    each player\n      do scout\n"
    folder = write(tmp_path / "evil", evil)
    said = call("graph", "--format", "dot", "--with", str(folder)).stdout.splitlines()
    assert said[0] == "digraph rules {" and said[-1] == "}"
    nodes = [found[1] for line in said if (found := NODE.fullmatch(line))]
    joined = [found.groups() for line in said if (found := EDGE.fullmatch(line))]
    assert len(nodes) + len(joined) + 3 == len(said), "nothing else is written"
    assert len(nodes) == len(set(nodes)) and {end for edge in joined for end in edge} == set(nodes)
    assert "mole" in nodes
    assert '  "turn" [label="Turn (phase)" shape="box"];' in call("graph", "--format", "dot", "--game", "pig").stdout


def test_a_library_for_graphs_reads_it(call: Call) -> None:
    pydot = pytest.importorskip("pydot")
    (graph,) = pydot.graph_from_dot_data(call("graph", "--format", "dot").stdout)
    names = {node.get_name().strip('"') for node in graph.get_nodes()} - {"node", "edge", "graph"}
    assert {"church", "strength", "influence"} <= names
    assert ("church", "strength") in {
        (e.get_source().strip('"'), e.get_destination().strip('"')) for e in graph.get_edges()
    }


def test_as_data(call: Call) -> None:
    data = json.loads(call("graph", "crane", "--format", "json").stdout)
    assert {"name": "crane", "title": "Crane", "sort": "building"} in data["nodes"]
    (edge,) = [edge for edge in data["edges"] if edge["how"] == "adjusts"]
    assert edge["to"] == "price"
    assert edge["words"] == "-1 to the price in gold of each building whose column is at least 3."


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("zzz",), "nothing in Kingsburg is named"),
        (("--format", "svg"), "invalid value `svg` for --format"),
        (("--with", "no"), "E0150"),
    ],
)
def test_wrong_use_is_told(call: Call, arguments: tuple[str, ...], said: str) -> None:
    done = call("graph", *arguments)
    assert done.returncode == 2 and said in done.stderr
