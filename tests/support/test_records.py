"""The engine's dataclasses behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
import weakref
from collections.abc import Callable
from dataclasses import asdict, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from edict.support.records import dataclass

T = TypeVar("T")
COMPILES = """
import sys
if sys.argv[2:]:
    sys.modules["msgspec"] = None  # not installed
from edict.compiler.pipeline.pipeline import build_program
from edict.compiler.sources.module_set import gather_modules
from edict.support.records import dataclass
print(dataclass.__module__, gather_modules(sys.argv[1]).and_then(build_program).value.meaning)
"""


@dataclass(frozen=True)
class Coin:
    """A record with a dict."""

    worth: int
    name: str = "coin"
    marks: tuple[str, ...] = ()
    metals: ClassVar[tuple[str, ...]] = ("gold",)

    @cached_property
    def doubled(self) -> int:
        return 2 * self.worth


@dataclass(frozen=True)
class Medal(Coin):
    """A record with a base, a factory and a field that narrows one of its base."""

    name: str = "medal"
    owners: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True, kw_only=True)
class Token:
    """A record that compares by identity."""

    kind: str = ""


@dataclass(frozen=True, slots=True)
class Meeple(Token, Generic[T]):
    """A record that compares by value, unlike its base."""

    place: T


@dataclass
class Purse:
    """A record that changes."""

    coins: list[Coin] = field(default_factory=list)


@dataclass(frozen=True, order=True)
class Version:
    """A record with an order, which refuses some values."""

    number: int

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError("negative")


def test_defaults_and_texts() -> None:
    assert repr(Coin(2)) == "Coin(worth=2, name='coin', marks=())"
    assert repr(Medal(1, owners=["Ann"])) == "Medal(worth=1, name='medal', marks=(), owners=['Ann'])"
    assert Medal(1).owners is not Medal(1).owners and Coin.metals == ("gold",)
    assert Meeple("hill", kind="big").kind == "big"


def test_equality_is_that_of_each_class_and_not_of_its_base() -> None:
    assert Coin(2) == Coin(2) and hash(Coin(2)) == hash(Coin(2)) and Coin(2) != Coin(3) and Coin(1) != Medal(1, "coin")
    token = Token()
    assert token == token and token != Token() and len({Token(), Token()}) == 2
    assert Meeple(1) == Meeple(1) and len({Meeple(1), Meeple(1)}) == 1
    assert Version(1) < Version(2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(Purse())


def test_only_records_that_are_not_frozen_change() -> None:
    purse = Purse()
    purse.coins += [Coin(1)]
    purse.coins = [*purse.coins, Coin(2)]
    assert purse == Purse([Coin(1), Coin(2)])
    with pytest.raises(AttributeError):
        Coin(1).worth = 2  # type: ignore[misc]
    with pytest.raises(ValueError, match="negative"):
        replace(Version(1), number=-1)


def test_functions_of_the_standard_library_take_them() -> None:
    assert [one.name for one in fields(Medal)] == ["worth", "name", "marks", "owners"]
    assert [one.type for one in fields(Coin)] == ["int", "str", "tuple[str, ...]"]
    worth, name, _, owners = fields(Medal)
    assert (worth.default, name.default, owners.default_factory) == (dataclasses.MISSING, "medal", list)
    assert replace(Medal(1, owners=["Ann"]), worth=3) == Medal(3, owners=["Ann"])
    assert asdict(Purse([Coin(1)])) == {"coins": [{"worth": 1, "name": "coin", "marks": ()}]}
    assert dataclasses.is_dataclass(Coin) and not dataclasses.is_dataclass(str)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_copies_are_equal(copied: Callable[[Any], Any]) -> None:
    for value in (Medal(1, owners=["Ann"]), Meeple("hill", kind="big"), Purse([Coin(1)])):
        assert copied(value) == value and copied(value).__class__ is value.__class__


def test_slots_leave_out_the_dict() -> None:
    coin = Coin(2)
    assert coin.doubled == 4 and weakref.ref(coin)() is coin
    assert not hasattr(Meeple(1), "__dict__")
    token = Token()
    assert weakref.ref(token)() is token


def test_what_structs_lack_is_an_error() -> None:
    with pytest.raises(TypeError, match="note"):

        @dataclass
        class Remark:
            note: str = field(default="", compare=False)

    with pytest.raises(TypeError, match="note"):

        @dataclass
        class Required:
            note: str = field()


def test_without_msgspec_they_are_those_of_the_standard_library() -> None:
    words = [sys.executable, "-c", COMPILES, "pig"]
    outputs = []
    for more in ([], ["without"]):
        done = subprocess.run([*words, *more], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout.split())
    (structs, meaning), (plain, same_meaning) = outputs
    assert (structs, plain) == ("edict.support.records", "dataclasses") and meaning == same_meaning
