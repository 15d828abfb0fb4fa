import pytest

from fourleaf.kube import Version


@pytest.mark.parametrize(("text", "version"), [("1.35", (1, 35, -1)), ("v1.35", (1, 35, -1)), ("1.35.2", (1, 35, 2))])
def test_versions_are_read(text: str, version: tuple[int, int, int]) -> None:
    assert Version.parse(text) == version
    assert str(Version.parse(text)) == text.removeprefix("v")


@pytest.mark.parametrize("text", ["", "1", "1.35.2.1", "1.x", "1.-3", "1.35 ", "latest", "1.٣٥", "1.12345"])
def test_other_texts_are_no_versions(text: str) -> None:
    with pytest.raises(ValueError):
        Version.parse(text)


def test_a_host_runs_its_first_and_last_release_with_every_patch() -> None:
    assert [Version.parse(text).within(("1.30", "1.35")) for text in ("1.29", "1.30", "1.35.9", "1.36")] == [False, True, True, False]
