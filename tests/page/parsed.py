"""A page as a tree, for tests: elements, their attributes and texts; what must be closed is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)

    def all(self, tag: str = "", **wanted: str) -> Iterator[Element]:
        """Yield what is below: of a tag, with attributes, of a `class_`."""
        for child in self.children:
            if isinstance(child, Element):
                if tag in ("", child.tag) and all(child.has(*pair) for pair in wanted.items()):
                    yield child
                yield from child.all(tag, **wanted)

    def has(self, name: str, value: str) -> bool:
        if name == "class_":
            return value in self.attributes.get("class", "").split()
        return self.attributes.get(name.replace("_", "-")) == value

    @property
    def text(self) -> str:
        return "".join(c.text if isinstance(c, Element) else c for c in self.children)


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parsed(page: str) -> Element:
    """Parse a page; all elements are closed where they should be."""
    parser = _Parser()
    parser.feed(page)
    parser.close()
    assert len(parser.open) == 1, [one.tag for one in parser.open]
    return parser.open[0]
