"""What the compiler did, as one page of HTML that needs no network."""

from elichika.page.render import Facts, in_frame, render

__all__ = ["Facts", "in_frame", "render"]
