"""Value classes: what `dataclasses` does, but compiled on first use.

In: a class with annotated fields. Out: the class with a constructor, equality, a hash and a `repr`;
`frozen` makes it immutable, with slots.

`dataclasses` compiles six methods for each class at import time, and imports `inspect` to do so.
With the hundred classes that a small file needs, that took 50 of the 107 milliseconds of all
imports (Python 3.11). Most of these methods are never called in a run, so here each is compiled at
its first call, in the form that `dataclasses` would give it.

Invariant: an instance behaves like one of a dataclass with the same fields, and is one to
`dataclasses` (`fields`, `replace`, `asdict`), to `pickle`, to `match` and to type checkers.
`tests/test_value_classes.py` compares the two. Not supported: class variables (`ClassVar`), and
dataclasses that derive from a value class. Cost: about 30 microseconds a class; the first call of a
method compiles it, and later calls cost what they cost in a dataclass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform, overload

if TYPE_CHECKING:
    from dataclasses import Field

Class = TypeVar("Class", bound=type)
Instance = TypeVar("Instance")

_MISSING: Any = object()
"""Stands for the default of a field that has none."""


class _Spec:
    """What is known about a field besides its name."""

    __slots__ = ("compare", "default", "default_factory", "init", "kw_only", "repr", "type")

    def __init__(
        self,
        default: Any,
        default_factory: Any,
        compare: bool,
        repr: bool,  # noqa: A002
        kw_only: bool,
        init: bool,
    ) -> None:
        self.default = default
        self.default_factory = default_factory
        self.compare = compare
        self.repr = repr
        self.kw_only = kw_only
        self.init = init
        self.type: Any = None


def field(
    *,
    default: Any = _MISSING,
    default_factory: Any = _MISSING,
    compare: bool = True,
    repr: bool = True,  # noqa: A002 (as in `dataclasses`)
    kw_only: bool = False,
    init: bool = True,
) -> Any:
    """A field with options, as in `dataclasses`."""
    return _Spec(default, default_factory, compare, repr, kw_only, init)


@overload
def frozen(cls: Class) -> Class: ...
@overload
def frozen(*, eq: bool = ..., slots: bool = ...) -> Callable[[Class], Class]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: Any = None, *, eq: bool = True, slots: bool = True) -> Any:
    """A class of immutable values."""
    return _decorate(cls, eq, slots, True)


@overload
def mutable(cls: Class) -> Class: ...
@overload
def mutable(*, slots: bool = ...) -> Callable[[Class], Class]: ...


@dataclass_transform(field_specifiers=(field,))
def mutable(cls: Any = None, *, slots: bool = False) -> Any:
    """A class of objects whose fields change."""
    return _decorate(cls, True, slots, False)


def replace(instance: Instance, **changes: Any) -> Instance:
    """A copy in which some fields have other values."""
    for name, spec in type(instance).__value_fields__.items():  # type: ignore[attr-defined]
        if spec.init and name not in changes:
            changes[name] = getattr(instance, name)
    return type(instance)(**changes)


def field_names(instance: object) -> tuple[str, ...]:
    """The names of the fields of a value; none if it is not an instance of a value class."""
    return tuple(getattr(type(instance), "__value_fields__", ()))


# ------------------------------------------------------------- making a class


def _decorate(cls: Any, eq: bool, slots: bool, is_frozen: bool) -> Any:
    if cls is None:
        return lambda given: _make_class(given, eq, slots, is_frozen)
    return _make_class(cls, eq, slots, is_frozen)


def _make_class(cls: Any, eq: bool, slots: bool, is_frozen: bool) -> Any:
    own = _own_fields(cls)
    fields: dict[str, _Spec] = {}
    for base in reversed(cls.__mro__[1:]):
        fields.update(base.__dict__.get("__value_fields__", {}))
    fields.update(own)
    given: dict[str, Any] = {
        "__value_fields__": fields,
        "__dataclass_fields__": _DataclassFields(),
        "__match_args__": tuple(n for n, f in fields.items() if f.init and not f.kw_only),
    }
    if is_frozen:
        given["__setattr__"], given["__delattr__"] = _refuse_to_set, _refuse_to_delete
    written = set(cls.__dict__)
    """Methods that the class itself defines are kept."""
    if cls.__dict__.get("__hash__") is None:  # Python sets this for a class with an `__eq__`
        written.discard("__hash__")
    if "__repr__" not in written:
        given["__repr__"] = _repr
    if slots:
        given["__getstate__"], given["__setstate__"] = _state, _set_state
        cls = _with_slots(cls, own, given)
    else:
        for name, spec in own.items():
            if spec.default is not _MISSING:
                given[name] = spec.default
            elif name in cls.__dict__:
                delattr(cls, name)
        for name, attribute in given.items():
            setattr(cls, name, attribute)
    if "__init__" not in written:
        _compile_later(cls, "__init__", _init_source, is_frozen)
    if eq and "__eq__" not in written:
        _compile_later(cls, "__eq__", _eq_source, is_frozen)
    if eq and "__hash__" not in written:
        if is_frozen:
            _compile_later(cls, "__hash__", _hash_source, is_frozen)
        else:
            cls.__hash__ = None
    return cls


def _own_fields(cls: Any) -> dict[str, _Spec]:
    """The fields that a class itself declares."""
    found: dict[str, _Spec] = {}
    for name, kind in cls.__annotations__.items():
        given = cls.__dict__.get(name, _MISSING)
        spec = given if isinstance(given, _Spec) else field(default=given)
        if spec.default is not _MISSING and type(spec.default).__hash__ is None:
            raise ValueError(f"mutable default for field {name}: use a default_factory")
        spec.type = kind
        found[name] = spec
    return found


def _with_slots(cls: Any, own: dict[str, _Spec], given: dict[str, Any]) -> Any:
    """The class made again with slots, which must exist when a class is created."""
    dropped = {*own, "__dict__", "__weakref__"}
    kept = {name: each for name, each in cls.__dict__.items() if name not in dropped}
    made = type(cls)(cls.__name__, cls.__bases__, {**kept, **given, "__slots__": tuple(own)})
    made.__qualname__ = cls.__qualname__
    return made


def _compile_later(cls: Any, name: str, source: Callable[..., str], is_frozen: bool) -> None:
    """Give a class a method that is compiled by its first call."""

    def first(*arguments: Any, **named: Any) -> Any:
        fields = cls.__value_fields__
        # No field has a name like these.
        space: dict[str, Any] = {"_missing_": _MISSING, "_put_": object.__setattr__}
        space.update({f"_default_{name}": spec.default for name, spec in fields.items()})
        space.update({f"_make_{name}": spec.default_factory for name, spec in fields.items()})
        exec(source(fields, is_frozen, hasattr(cls, "__post_init__")), space)
        method = space[name]
        method.__qualname__ = f"{cls.__qualname__}.{name}"
        setattr(cls, name, method)  # a second thread that gets here sets an equal one
        return method(*arguments, **named)

    setattr(cls, name, first)


# ------------------------------------------------------------- the methods


def _init_source(fields: dict[str, _Spec], is_frozen: bool, has_post_init: bool) -> str:
    def parameter(name: str, spec: _Spec) -> str:
        if spec.default is not _MISSING:
            return f"{name}=_default_{name}"
        return name if spec.default_factory is _MISSING else f"{name}=_missing_"

    positional = [parameter(n, f) for n, f in fields.items() if f.init and not f.kw_only]
    keywords = [parameter(n, f) for n, f in fields.items() if f.init and f.kw_only]
    lines = []
    for name, spec in fields.items():
        given = name
        if spec.default_factory is not _MISSING:
            made = f"_make_{name}()"
            given = f"{made} if {name} is _missing_ else {name}" if spec.init else made
        elif not spec.init:
            if spec.default is _MISSING:
                continue
            given = f"_default_{name}"
        lines.append(f"_put_(self, {name!r}, {given})" if is_frozen else f"self.{name} = {given}")
    if has_post_init:
        lines.append("self.__post_init__()")
    parameters = ", ".join(["self", *positional, *(["*", *keywords] if keywords else [])])
    return f"def __init__({parameters}):\n    " + "\n    ".join(lines or ["pass"])


def _compared(fields: dict[str, _Spec], whose: str) -> str:
    return "(" + "".join(f"{whose}.{n}, " for n, f in fields.items() if f.compare) + ")"


def _eq_source(fields: dict[str, _Spec], *_: bool) -> str:
    return (
        "def __eq__(self, other):\n"
        "    if other.__class__ is not self.__class__:\n"
        "        return NotImplemented\n"
        f"    return {_compared(fields, 'self')} == {_compared(fields, 'other')}"
    )


def _hash_source(fields: dict[str, _Spec], *_: bool) -> str:
    return f"def __hash__(self):\n    return hash({_compared(fields, 'self')})"


def _repr(self: Any) -> str:
    shown = (f"{n}={getattr(self, n)!r}" for n, f in type(self).__value_fields__.items() if f.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_to_set(self: Any, name: str, to: Any) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in type(self).__value_fields__]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, each in zip(type(self).__value_fields__, state, strict=True):
        object.__setattr__(self, name, each)


class _DataclassFields:
    """The fields as `dataclasses` describes them, made on demand."""

    def __get__(self, instance: Any, cls: Any) -> dict[str, Field[Any]]:
        import dataclasses

        found: dict[str, Any] = {}
        for name, spec in cls.__value_fields__.items():
            given = {
                key: getattr(spec, key)
                for key in ("default", "default_factory")
                if getattr(spec, key) is not _MISSING
            }
            each: Any = dataclasses.field(
                init=spec.init,
                repr=spec.repr,
                compare=spec.compare,
                kw_only=spec.kw_only,
                **given,
            )
            each.name, each.type = name, spec.type
            each._field_type = vars(dataclasses)["_FIELD"]
            found[name] = each
        cls.__dataclass_fields__ = found
        return found
