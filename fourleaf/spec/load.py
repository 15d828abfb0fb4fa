"""The text of a spec, and of the files that it includes, becomes a typed spec; or all that is wrong with it, each with its place."""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from msgspec.structs import replace

from fourleaf.diag import Diagnostic, Path
from fourleaf.diag.locate import locate, unlocated
from fourleaf.diag.sink import has_errors, in_order
from fourleaf.spec.kinds import unexpected
from fourleaf.spec.loaded import Loaded, Part, Present
from fourleaf.spec.located import Located
from fourleaf.spec.names import duplicates, is_absolute, paths_outside, present_files, too_long
from fourleaf.spec.parse import parse
from fourleaf.spec.rules import DUPLICATE_NAME, FILE_NOT_READABLE, FILE_OUTSIDE_REPOSITORY
from fourleaf.spec.text import unwritable

if TYPE_CHECKING:
    from fourleaf.spec.models import TenantsFile, WorkloadsFile
    from fourleaf.spec.record import Record

Read: TypeAlias = Callable[[str], bytes]
"""Returns the bytes of a file, by its path relative to the folder of the spec; raises OSError, `OutsideError` among them."""

_Model = TypeVar("_Model", bound="Record")
_LISTS = ("tenants", "workloads")
"""Lists of `spec` that may continue in other files."""


class OutsideError(OSError):
    """A path leads out of the repository of the spec."""


def load(text: bytes | str, file: str, read: Read | None = None) -> Loaded:
    """Read a cluster spec.

    Args:
        file: its name in diagnostics; included files are named relative to its folder.
        read: reads the files that `spec.include` names; without it, they cannot be read.

    Returns:
        The spec, or None and all that is wrong. No text makes this raise.
    """
    document, found = parse(text, file)
    if document is None:
        document = Located(file, _excerpt(text))
    else:
        stranger = unexpected(document, "Cluster")
        if stranger is None:
            return _Loading(document, list(found), read).loaded()
        found = (*found, stranger)
    return Loaded(spec=None, diagnostics=in_order(locate(found, document.span)), document=document, sources={file: document.text})


def load_data(tree: dict[str, Any], name: str) -> Loaded:
    """Take a cluster spec that is data: dicts, lists and scalars, as a text would be read. It includes no files.

    Args:
        name: what stands for the name of a file.

    Returns:
        As `load`; the diagnostics have places and no spans.
    """
    document = Located(name, "", tree)
    found = [*unwritable(tree)]
    stranger = unexpected(document, "Cluster")
    if stranger is None:
        return _Loading(document, found, None, written=False).loaded()
    return Loaded(spec=None, diagnostics=in_order(unlocated([*found, stranger])), document=document, written=False)


class _Loading:
    """A spec while its files are read."""

    def __init__(self, document: Located, found: list[Diagnostic], read: Read | None, *, written: bool = True) -> None:
        self.document = document
        self.found = found
        self.read = read
        self.written = written
        self.parts: list[Part] = []
        self.sources = {document.file: document.text} if written else {}
        body = document.value.get("spec")
        self.body: dict[str, Any] = body if isinstance(body, dict) else {}
        self.layouts: dict[str, Present] = {}
        self.lists: dict[str, list[Any]] = {name: [*_list(self.body, name)] for name in _LISTS}
        """Raw items of all files."""

    def loaded(self) -> Loaded:
        from fourleaf.spec.models import Spec

        spec = self.validate(Spec, self.document)
        more: dict[str, tuple[Any, ...]] = dict.fromkeys(_LISTS, ())
        for index, entry in enumerate(_list(self.body, "include")):
            if isinstance(entry, str):
                self.include(entry, ("spec", "include", index), more)
        for entry, place in present_files(self.body):
            self.present(entry, place)
        whole = {"spec": {**self.body, **self.lists}}
        self.found += [*duplicates(whole), *paths_outside(whole), *too_long(whole)]
        view = Loaded(
            spec=None,
            diagnostics=(),
            document=self.document,
            parts=tuple(self.parts),
            sources=self.sources,
            written=self.written,
            layouts=self.layouts,
        )
        diagnostics = in_order(locate(self.found, view.span) if self.written else unlocated(self.found))
        if spec is not None and not has_errors(diagnostics):
            body = spec.spec.model_copy(update={name: getattr(spec.spec, name) + items for name, items in more.items()})
            spec = spec.model_copy(update={"spec": body})
            return replace(view, spec=spec, diagnostics=diagnostics)
        return replace(view, diagnostics=diagnostics)

    def include(self, entry: str, place: Path, more: dict[str, tuple[Any, ...]]) -> None:
        """Read the file that the entry at `place` names, and add its items to `more`, by the name of the list."""
        from fourleaf.spec.models import TenantsFile, WorkloadsFile

        if self.beside(entry) in self.sources:
            self.found.append(DUPLICATE_NAME.at(place, f"{entry} is included twice", help="remove one of the entries"))
            return
        document = self.document_of(entry, place, "Tenants", "Workloads")
        if document is None:
            return
        model: type[TenantsFile | WorkloadsFile] = WorkloadsFile if document.value.get("kind") == "Workloads" else TenantsFile
        name = "workloads" if model is WorkloadsFile else "tenants"
        part = Part(("spec", name), len(self.lists[name]), document)
        self.parts.append(part)
        body = document.value.get("spec")
        self.lists[name] += _list(body, name) if isinstance(body, dict) else []
        typed = self.validate(model, document, lambda item: _moved(item, part, place))
        if typed is not None:
            more[name] += getattr(typed.spec, name)

    def present(self, entry: str, place: Path) -> None:
        """Read the layouts that a pool has now from the file that the value at `place` names; a file of several pools once."""
        from fourleaf.spec.layouts import LayoutsFile

        if self.beside(entry) in self.sources:
            return
        document = self.document_of(entry, place, "Layouts")
        if document is None:
            return
        typed = self.validate(LayoutsFile, document, lambda item: replace(locate([item], document.span)[0], place=place))
        if typed is not None:
            self.layouts[posixpath.normpath(entry)] = Present(typed, document)

    def beside(self, entry: str) -> str:
        """Return what diagnostics call a file beside the spec."""
        return posixpath.normpath(posixpath.join(posixpath.dirname(self.document.file), entry))

    def document_of(self, entry: str, place: Path, *kinds: str) -> Located | None:
        """Read a file beside the spec that holds one of some kinds; what is wrong is noted with the place of the entry that names it."""
        data = self.bytes_of(entry, place)
        if data is None:
            return None
        file = self.beside(entry)
        document, found = parse(data, file)
        self.sources[file] = document.text if document else _excerpt(data)
        self.found += [replace(item, place=place) for item in found]
        if document is None:
            return None
        stranger = unexpected(document, *kinds)
        if stranger is not None:
            self.found += [replace(item, place=place) for item in locate([stranger], document.span)]
            return None
        return document

    def bytes_of(self, entry: str, place: Path) -> bytes | None:
        if is_absolute(entry):
            return None  # which paths_outside reports
        if self.read is None:
            mend = "load the spec from a folder"
            self.found.append(FILE_NOT_READABLE.at(place, f"{entry} cannot be read: the spec came without its folder", help=mend))
            return None
        try:
            return self.read(entry)
        except OutsideError:
            mend = "move the file into the repository"
            self.found.append(FILE_OUTSIDE_REPOSITORY.at(place, f"{entry} is outside of the repository of the spec", help=mend))
        except OSError as error:
            self.found.append(FILE_NOT_READABLE.at(place, f"{entry} cannot be read: {reason(error)}", help="name a file that is there"))
        return None

    def validate(
        self, model: type[_Model], document: Located, move: Callable[[Diagnostic], Diagnostic] = lambda item: item
    ) -> _Model | None:
        """Return the typed document, or None after its diagnostics are noted."""
        from pydantic import ValidationError

        with _without_plugins():
            model.model_rebuild()
        try:
            return model.model_validate(document.value)
        except ValidationError as error:
            from fourleaf.spec.errors import diagnostics

            found = diagnostics(error.errors(include_url=False), document, model)
            self.found += [move(item) for item in found if not document.doubts(item.place)]
        return None


def reason(error: OSError) -> str:
    """Return why a file cannot be read, as a clause."""
    words = {FileNotFoundError: "it is not there", IsADirectoryError: "it is a folder", PermissionError: "the system does not permit it"}
    return words.get(type(error)) or (error.strerror or str(error) or type(error).__name__).lower()


def _moved(item: Diagnostic, part: Part, place: Path) -> Diagnostic:
    """Return a diagnostic of an included file with its place in the whole spec: that of the entry which includes it, where it has none."""

    def move(path: Path) -> Path:
        match path[2:]:
            case (int(index), *rest) if path[:2] == part.list:
                return (*part.list, index + part.start, *rest)
        return place

    (item,) = locate([item], part.document.span)
    labels = tuple(replace(label, place=move(label.place)) for label in item.labels)
    return replace(item, place=move(item.place), labels=labels)


def _list(body: dict[str, Any], name: str) -> list[Any]:
    value = body.get(name)
    return value if isinstance(value, list) else []


def _excerpt(text: bytes | str) -> str:
    return text.decode("utf-8-sig", "replace") if isinstance(text, bytes) else text.removeprefix("\ufeff")


@contextmanager
def _without_plugins() -> Iterator[None]:
    """Build pydantic's validators without a look for its plugins.

    What is installed beside fourleaf must not change what a spec means; and the loader of plugins imports importlib.metadata and
    reads every installed distribution, 20 ms of a compile. Where pydantic looks for them elsewhere one day, this does nothing.
    """
    name = "pydantic.plugin._loader"
    before = sys.modules.get(name)
    stand_in: Any = ModuleType(name)
    stand_in.get_plugins = tuple
    sys.modules[name] = stand_in
    try:
        yield
    finally:
        if before is None:
            sys.modules.pop(name, None)
        else:
            sys.modules[name] = before
