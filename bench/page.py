"""Tables in Markdown, and where on a page of docs/ each of them stands."""

from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path


def line(*cells: str) -> str:
    """One row."""
    return f"| {' | '.join(cells)} |"


def head(*cells: str) -> Iterator[str]:
    """A table's first two lines."""
    yield line(*cells)
    yield "|" + "---|" * len(cells)


def shown(name: str, lines: Iterable[str]) -> Iterator[str]:
    """The same lines, each printed as soon as it is measured."""
    print(f"\n{name}", flush=True)
    for each in lines:
        print(each, flush=True)
        yield each


def read(page: Path, name: str) -> list[str]:
    """The lines of that table."""
    _, rest = page.read_text().split(f"<!-- table {name} -->\n", 1)
    return rest.split("<!-- end -->\n", 1)[0].splitlines()


def write(page: Path, name: str, lines: Iterable[str]) -> None:
    """Puts them between the marks of that table."""
    text = page.read_text()
    before, rest = text.split(f"<!-- table {name} -->\n", 1)
    _, after = rest.split("<!-- end -->\n", 1)
    page.write_text(f"{before}<!-- table {name} -->\n" + "\n".join(lines) + f"\n<!-- end -->\n{after}")


def show_all(page: Path, wanted: Mapping[str, Iterable[str]], only: Container[str] | None, *, to_page: bool) -> None:
    """Each table as it is made, or those named by `only`; onto the page, too, where that is asked."""
    for name, lines in wanted.items():
        if only is None or name in only:
            made = list(shown(name, lines))
            if to_page:
                write(page, name, made)
