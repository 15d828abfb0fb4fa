"""Versions of Kubernetes."""

from __future__ import annotations

from typing import NamedTuple


class Version(NamedTuple):
    """A version of Kubernetes; `patch` is -1 where only the minor version is known."""

    major: int
    minor: int
    patch: int = -1

    @classmethod
    def parse(cls, text: str) -> Version:
        """Read "1.35", "v1.35" or "1.35.2".

        Raises:
            ValueError: `text` is no version.
        """
        parts = text.removeprefix("v").split(".")
        if not 2 <= len(parts) <= 3 or not all(part.isascii() and part.isdecimal() and len(part) <= 4 for part in parts):
            raise ValueError(text)
        return cls(*map(int, parts))

    @property
    def release(self) -> tuple[int, int]:
        """Major and minor, which decide what is served."""
        return self.major, self.minor

    def within(self, limits: tuple[str, str]) -> bool:
        """Tell whether its release lies between two releases, both included: `Host.kubernetes`."""
        first, last = (Version.parse(text).release for text in limits)
        return first <= self.release <= last

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}" + (f".{self.patch}" if self.patch >= 0 else "")
