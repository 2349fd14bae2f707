"""A progress bar in terminals and notebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(verbose: bool | int) -> Iterator[Callable[[str, int, int, int], None] | None]:
    """A function that shows the steps of a fit, or None if nothing is to be shown."""
    if not verbose:
        yield None
        return
    from tqdm.auto import tqdm

    with tqdm(desc="needlenet", unit="stage", leave=verbose > 1) as bar:

        def show(step: str, done: int, of: int, count: int) -> None:
            if step == "path":
                bar.total = of
                bar.set_postfix_str(f"inputs in use: {count}", refresh=False)
                bar.update(done - bar.n)
            elif step == "sure":
                bar.total = of
                bar.set_postfix_str("how sure", refresh=False)
                bar.update(done - bar.n)
            elif step == "threshold":
                bar.set_postfix_str(f"{count} null draws")
            else:
                bar.set_postfix_str("refit on the needles")

        yield show
