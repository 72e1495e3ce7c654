"""The engine's `dataclass`: the decorator of the standard library, for classes that msgspec makes.

The standard library compiles up to six methods for each class, a third of the time of a short check; msgspec has them
in C. All else stays as it is: `field`, `fields`, `replace` and `asdict` of the standard library work with such classes,
and type checkers take them for dataclasses. Where there is no msgspec, as in a browser, they are.
"""

from __future__ import annotations

import dataclasses
import inspect
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

__all__ = ["MAKER", "dataclass"]

try:
    import msgspec
except ImportError:  # Pyodide's packages of compiled libraries are not part of a page
    msgspec = None  # type: ignore[assignment]

# what makes the classes; pickles of their instances are read by the same only
MAKER = "dataclasses" if msgspec is None else f"msgspec {msgspec.__version__}"

_Record: Any = object  # the base of all structs
_Factory: Any = ()  # what msgspec keeps for a default that is made for each struct

# entries of a class's namespace that are made anew with each class
_CLASS_LAYOUT = {"__dict__", "__weakref__", "__slots__"}
_DEFAULT_OPTIONS = {"eq": True, "order": False, "frozen": False, "kw_only": False}
# the attributes of fields that structs lack, as they are where nobody asks for them
_UNSUPPORTED = {"init": True, "repr": True, "compare": True, "hash": None, "kw_only": dataclasses.MISSING}


def _make_struct(cls: Any, *, slots: bool = False, weakref_slot: bool = False, **options: bool) -> Any:
    """Return a struct with the content of a class, which is a struct already if one of its bases is.

    Raises:
        TypeError: A field wants something that structs lack; use `dataclasses` for such a class.
    """
    namespace = {name: value for name, value in vars(cls).items() if name not in _CLASS_LAYOUT}
    own_fields = inspect.get_annotations(cls)
    bases = tuple(base for base in cls.__bases__ if base is not object)
    if issubclass(cls, _Record):
        for name in own_fields.keys() & {*cls.__struct_fields__}:
            namespace.pop(name, None)  # only of a field that no base has
        namespace |= {name: default for name, default in _get_defaults(cls).items() if name in own_fields}
    else:
        bases += (_Record,)
    for name in own_fields:
        if isinstance(namespace.get(name), dataclasses.Field):
            namespace[name] = _convert_field(name, namespace[name])
    options = _DEFAULT_OPTIONS | options  # all of them, for a struct inherits those that are not given
    if not slots:
        options["dict"] = True
    if weakref_slot or not slots:
        options["weakref"] = True
    return type(_Record)(cls.__name__, bases, namespace, **options)


def _get_defaults(cls: Any) -> dict[str, Any]:
    """Return the defaults of a struct's fields; of a factory, what msgspec keeps for it."""
    names, defaults = cls.__struct_fields__, cls.__struct_defaults__
    pairs = zip(names[len(names) - len(defaults) :], defaults, strict=True)
    return {name: default for name, default in pairs if default is not msgspec.NODEFAULT}


def _convert_field(name: str, field: dataclasses.Field[Any]) -> Any:
    """Return the default of a field of a dataclass as a struct takes it."""
    if field.metadata or any(getattr(field, attribute) is not usual for attribute, usual in _UNSUPPORTED.items()):
        raise TypeError(f"{name}: fields of structs have nothing but a default")
    if field.default_factory is not dataclasses.MISSING:
        return msgspec.field(default_factory=field.default_factory)
    if field.default is dataclasses.MISSING:
        raise TypeError(f"{name}: a field without a default is written without `field`")
    return field.default


@cache
def _list_fields(cls: Any) -> dict[str, dataclasses.Field[Any]]:
    """Return the fields of a struct by name, as `dataclasses` describes them."""
    known: dict[str, dataclasses.Field[Any]] = {}
    for base in reversed(cls.__bases__):
        known |= _list_fields(base) if issubclass(base, _Record) else {}
    types, defaults = inspect.get_annotations(cls), _get_defaults(cls)
    own = [(name, types[name], _restore_field(defaults, name)) for name in cls.__struct_fields__ if name in types]
    documented = {"__doc__": cls.__name__}  # or it would be made of the signature
    described: Any = dataclasses.make_dataclass(
        cls.__name__, own, namespace=documented, init=False, repr=False, eq=False, match_args=False
    )
    known |= described.__dataclass_fields__
    return {name: known[name] for name in cls.__struct_fields__}


def _restore_field(defaults: dict[str, Any], name: str) -> Any:
    """Return the field of a dataclass with the default of a field of a struct, if it has one."""
    if name not in defaults:
        return dataclasses.field()
    default = defaults[name]
    if isinstance(default, _Factory):
        return dataclasses.field(default_factory=default.factory)
    return dataclasses.field(default=default)


class _Fields:
    """The `__dataclass_fields__` of all structs, listed for a class when somebody asks for them."""

    def __get__(self, record: object, cls: type) -> dict[str, dataclasses.Field[Any]]:
        return _list_fields(cls)


if msgspec is not None and not TYPE_CHECKING:
    _Record = msgspec.defstruct("_Record", (), namespace={"__dataclass_fields__": _Fields()})
    _Factory = type(
        msgspec.defstruct("_Sample", [("made", list, msgspec.field(default_factory=list))]).__struct_defaults__[0]
    )

    def dataclass(cls: Any = None, **options: bool) -> Any:
        """Make a class a struct that behaves as a dataclass with these options."""
        return _make_struct(cls, **options) if cls is not None else lambda cls: _make_struct(cls, **options)
