"""Attributes computed when first asked for, by no thread at the cost of another."""

from threading import Event, Thread

from linsep.cached import cached_property

STARTED, END = Event(), Event()


class Slow:
    def __init__(self, waits: bool) -> None:
        self.waits, self.computed = waits, 0

    @cached_property
    def answer(self) -> int:
        """Of all questions."""
        self.computed += 1
        if self.waits:
            STARTED.set()
            END.wait(60.0)
        return 42


def test_it_is_computed_once() -> None:
    one = Slow(waits=False)
    assert (one.answer, one.answer, one.computed) == (42, 42, 1)
    assert Slow.__dict__["answer"].__doc__ == "Of all questions."


def test_two_threads_do_not_wait_for_each_other() -> None:
    first = Slow(waits=True)
    thread = Thread(target=lambda: first.answer)
    thread.start()
    assert STARTED.wait(60.0)
    found: list[int] = []
    other = Thread(target=lambda: found.append(Slow(waits=False).answer), daemon=True)
    other.start()
    other.join(30.0)
    END.set()
    thread.join()
    assert found == [42]
