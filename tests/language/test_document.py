from tests.language import document


def test_language_is_up_to_date() -> None:
    assert document.PATH.read_text() == document.text(), "run `make docs`"


def test_rows_tell_compiled_from_static() -> None:
    shown = document.Shown()
    assert shown.state("math.sin").startswith("compiled")
    assert shown.state("math.comb").startswith("static")
    assert shown.state("math.erf").startswith("refused")
    assert shown.state("math.nothing") == "—"
