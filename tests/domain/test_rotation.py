"""A rotation serves caller by caller, and each caller's items in order."""

from __future__ import annotations

from einvoice.domain.rotation import Rotation


def filled(*items: str) -> Rotation[str, str]:
    """Items like a1, whose first letter is their caller."""
    rotation: Rotation[str, str] = Rotation()
    for item in items:
        rotation.append(item[0], item)
    return rotation


def popped(rotation: Rotation[str, str]) -> list[str]:
    found = []
    while (following := rotation.pop()) is not None:
        found.append(following[1])
    return found


def test_one_item_of_each_caller_is_served_in_rotation() -> None:
    assert popped(filled("a1", "a2", "a3", "b1", "c1", "b2")) == [
        "a1", "b1", "c1", "a2", "b2", "a3"
    ]  # fmt: skip


def test_an_empty_rotation_has_nothing_to_serve() -> None:
    assert Rotation[str, str]().pop() is None


def test_a_caller_that_is_not_free_is_passed_over_and_keeps_its_place() -> None:
    rotation = filled("a1", "b1", "b2")

    assert rotation.pop(lambda caller: caller == "b") == ("b", "b1")
    assert rotation.pop(lambda _: False) is None
    assert popped(rotation) == ["a1", "b2"]


def test_a_postponed_caller_is_the_last_one() -> None:
    rotation = filled("a1", "b1", "c1")
    rotation.postpone("a")
    rotation.postpone("unknown")

    assert popped(rotation) == ["b1", "c1", "a1"]


def test_a_removed_item_is_not_served_and_is_removed_once() -> None:
    rotation = filled("a1", "b1", "a2")

    assert [rotation.remove("a", "a1"), rotation.remove("a", "a1")] == [True, False]
    assert not rotation.remove("unknown", "a2")
    assert (len(rotation), rotation.waiting_of("a"), rotation.waiting_of("c")) == (2, 1, 0)
    assert popped(rotation) == ["a2", "b1"]


def test_old_items_are_taken_out_of_the_front_of_each_queue() -> None:
    rotation = filled("a1", "a9", "a2", "b1", "c9")

    assert list(rotation.pop_while(lambda item: item[1] < "5")) == ["a1", "b1"]
    assert len(rotation) == 3
    assert popped(rotation) == ["a9", "c9", "a2"]
