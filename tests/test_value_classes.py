"""Values are what dataclasses with the same fields are."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sculpt import values


def both(make: Callable[..., Any]) -> tuple[Any, Any]:
    """The same class, by us and by `dataclasses`."""
    ours = make(values.frozen, values.mutable, values.field)
    theirs = make(
        lambda cls=None, eq=True, slots=True: (
            dataclasses.dataclass(frozen=True, eq=eq, slots=slots)(cls)
            if cls is not None
            else dataclasses.dataclass(frozen=True, eq=eq, slots=slots)
        ),
        lambda cls=None, slots=False: (
            dataclasses.dataclass(slots=slots)(cls)
            if cls is not None
            else dataclasses.dataclass(slots=slots)
        ),
        dataclasses.field,
    )
    return ours, theirs


def points(value: Any, mutable: Any, field: Any) -> Any:
    @value
    class Point:
        """A place."""

        x: int
        y: int = 2
        seen: list[int] = field(default_factory=list, compare=False)
        span: str = field(default="here", compare=False, repr=False, kw_only=True)

        def double(self) -> int:
            return 2 * self.x

    return Point


def changing(value: Any, mutable: Any, field: Any) -> Any:
    @mutable
    class Point:
        x: int
        y: int = field(init=False, default=3)
        log: list[str] = field(init=False, default_factory=list)
        later: Any = field(init=False)

        def __post_init__(self) -> None:
            self.later = self.x + self.y

    return Point


def slotted(value: Any, mutable: Any, field: Any) -> Any:
    @mutable(slots=True)
    class Point:
        x: int
        y: int = 1

    return Point


def without_eq(value: Any, mutable: Any, field: Any) -> Any:
    @value(eq=False)
    class Point:
        x: int
        y: int = 1

    return Point


def with_a_dict(value: Any, mutable: Any, field: Any) -> Any:
    @value(slots=False)
    class Point:
        x: int
        y: int = 1

    return Point


def of_another(value: Any, mutable: Any, field: Any) -> Any:
    @mutable
    class Base:
        x: int
        y: int = 1

        def __post_init__(self) -> None:
            self.sum = self.x + self.y

    @mutable
    class Point(Base):
        z: int = 5
        y: int = 7

        def __post_init__(self) -> None:
            super().__post_init__()

    return Point


def with_its_own(value: Any, mutable: Any, field: Any) -> Any:
    @mutable
    class Point:
        x: int
        y: int = 1

        def __init__(self, x: int) -> None:
            self.x, self.y = x, -x

        def __repr__(self) -> str:
            return f"<{self.x}>"

        def __hash__(self) -> int:
            return 7

    return Point


def with_its_own_order(value: Any, mutable: Any, field: Any) -> Any:
    @value
    class Point:
        x: int
        y: int = 1

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 5

    return Point


def with_its_own_equality(value: Any, mutable: Any, field: Any) -> Any:
    @value
    class Point:
        x: int
        put: int = 1
        missing: list[int] = field(default_factory=list, compare=False)

        def __eq__(self, other: object) -> bool:
            return True

    return Point


MAKERS = [
    with_its_own,
    with_its_own_equality,
    with_its_own_order,
    points,
    changing,
    slotted,
    without_eq,
    with_a_dict,
    of_another,
]
IDS = [make.__name__ for make in MAKERS]


def outcome(do: Callable[[], Any]) -> Any:
    """What a call gives: its value, or the kind of its error."""
    try:
        return do()
    except (TypeError, AttributeError) as error:
        return AttributeError if isinstance(error, AttributeError) else TypeError


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1,), {}),
    ((1, 5), {}),
    ((), {"x": 1}),
    ((1,), {"y": 4}),
    ((), {}),
    ((1, 2, 3, 4, 5, 6), {}),
    ((1,), {"no": 1}),
    ((1,), {"span": "there"}),
    ((1,), {"x": 1}),
]


@pytest.mark.parametrize("make", MAKERS, ids=IDS)
@pytest.mark.parametrize(("arguments", "named"), CALLS)
def test_constructors(make: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
    ours, theirs = both(make)
    for _ in range(2):  # compiled by the first call, or compiled already
        said = [
            outcome(partial(lambda cls: repr(cls(*arguments, **named)), cls))
            for cls in (ours, theirs)
        ]
        assert said[0] == said[1]


@pytest.mark.parametrize("make", MAKERS, ids=IDS)
@given(st.integers(0, 2), st.integers(0, 2))
def test_equality_and_hashes(make: Any, first: int, second: int) -> None:
    compares: list[Callable[[Any], Any]] = [
        lambda cls: outcome(lambda: cls(first) == cls(second)),
        lambda cls: outcome(lambda: cls(first) != cls(second)),
        lambda cls: outcome(lambda: cls(first) == first),
        lambda cls: outcome(lambda: len({cls(first), cls(second)})),
        lambda cls: outcome(lambda: len({hash(each) for each in [cls(first), cls(second)]})),
    ]
    for compare in compares:
        ours, theirs = both(make)
        assert compare(ours) == compare(theirs)


def refuses(change: Callable[[Any], None], each: Any) -> bool:
    try:
        change(each)
    except (TypeError, AttributeError):  # dataclasses raise the first for what is no field
        return True
    return False


@pytest.mark.parametrize("make", MAKERS, ids=IDS)
def test_what_may_be_changed(make: Any) -> None:
    ours, theirs = both(make)
    for change in (
        lambda each: setattr(each, "x", 5),
        lambda each: delattr(each, "x"),
        lambda each: setattr(each, "other", 5),
    ):
        assert refuses(change, ours(1)) == refuses(change, theirs(1))


@pytest.mark.parametrize("make", MAKERS, ids=IDS)
def test_they_are_dataclasses(make: Any) -> None:
    ours, theirs = both(make)
    is_one: bool = dataclasses.is_dataclass(ours)
    assert is_one
    one, other = dataclasses.fields(ours), dataclasses.fields(theirs)
    for attribute in ("name", "init", "repr", "compare", "kw_only", "default"):
        assert [getattr(f, attribute) for f in one] == [getattr(f, attribute) for f in other]
    assert dataclasses.asdict(ours(1)) == dataclasses.asdict(theirs(1))
    replaced = [
        outcome(partial(lambda change, cls: repr(change(cls(1), x=9)), change, cls))
        for change, cls in (
            (values.replace, ours),
            (dataclasses.replace, ours),
            (dataclasses.replace, theirs),
        )
    ]
    assert replaced[0] == replaced[1] == replaced[2]
    assert ours.__match_args__ == theirs.__match_args__
    assert values.field_names(ours(1)) == tuple(f.name for f in other)
    assert values.field_names(1) == ()
    assert hasattr(ours(1), "__dict__") == hasattr(theirs(1), "__dict__")
    assert (ours.__name__, ours.__qualname__) == (theirs.__name__, theirs.__qualname__)
    assert ours.__doc__ is None or ours.__doc__ == theirs.__doc__


@values.frozen
class Place:
    row: int
    column: int = 1


@values.mutable
class Count:
    number: int


@pytest.mark.parametrize("each", [Place(2), Place(2, 3), Count(4)], ids=repr)
def test_copies(each: Any) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(each, protocol)) == each
    assert copy.copy(each) == copy.deepcopy(each) == each


def test_mutable_defaults_are_refused() -> None:
    def shared(value: Any, mutable: Any, field: Any) -> Any:
        @value
        class Point:
            x: list[int] = []  # noqa: RUF012

        return Point

    with pytest.raises(ValueError, match="mutable default"):
        shared(values.frozen, values.mutable, values.field)


def test_what_is_raised_when_one_is_set() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Place(1).row = 2  # type: ignore[misc]


def test_defaults_are_not_shared() -> None:
    ours, _ = both(points)
    ours(1).seen.append(5)
    assert ours(1).seen == []
    match ours(3):
        case ours(x, y):
            assert (x, y) == (3, 2)


def test_methods_are_compiled_by_several_threads_at_once() -> None:
    for _ in range(50):
        ours, _ = both(points)
        found: list[Any] = []
        begin = threading.Barrier(4)

        def work(made: Any = ours, found: list[Any] = found, begin: Any = begin) -> None:
            begin.wait()
            found.append({made(1), made(1)})

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [{ours(1)}] * 4


def test_nothing_is_imported_for_them() -> None:
    code = (
        "import sys\nfrom sculpt import values\n"
        "@values.frozen\nclass A:\n    x: int\n"
        "assert A(1) == A(1) and hash(A(1)) and repr(A(1)) == 'A(x=1)'\n"
        "assert not {'dataclasses', 'inspect'} & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        timeout=60,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert (done.returncode, done.stderr) == (0, b"")
