"""What all models of a spec are made of: mappings of known fields, and the types of the texts and numbers in them."""

from typing import Annotated, ClassVar, Literal, Self, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Strict, Tag, model_validator
from pydantic_core import PydanticCustomError

from fourleaf.kube.quantity import bytes_of
from fourleaf.spec import fields

T = TypeVar("T")


def _countable(text: str) -> str:
    try:
        bytes_of(text)
    except ValueError:
        raise PydanticCustomError("too_much_memory", "") from None
    return text


Text: TypeAlias = Annotated[str, Field(min_length=1)]
Name: TypeAlias = Annotated[str, Field(pattern=fields.LABEL.pattern, max_length=63)]
NodeName: TypeAlias = Annotated[str, Field(pattern=fields.NODE.pattern, max_length=253)]
Memory: TypeAlias = Annotated[str, Field(pattern=fields.MEMORY.pattern), AfterValidator(_countable)]
LabelKey: TypeAlias = Annotated[str, Field(pattern=fields.LABEL_KEY.pattern, max_length=317)]
LabelValue: TypeAlias = Annotated[str, Field(pattern=fields.LABEL_VALUE.pattern, max_length=63)]
Count: TypeAlias = Annotated[int, Field(ge=1, le=2**31 - 1)]
"""A number of pods, nodes or cards; Kubernetes keeps them in 32 bits."""
Items: TypeAlias = Annotated[tuple[T, ...], Strict(False)]  # YAML's lists become tuples; what they hold stays strict

WORD, FIELDS = "<word>", "<fields>"
"""Tags of the two forms of a union: one of its words, or a mapping. They stand in pydantic's locations of errors."""


def _form(value: object) -> str:
    return FIELDS if isinstance(value, dict | BaseModel) else WORD


BY_FORM = Discriminator(_form)
"""Picks the form of a union before anything in it is looked at, so that a mistake is reported for one form alone."""

Layout: TypeAlias = Annotated[Annotated[Literal["none"], Tag(WORD)] | Annotated[dict[str, Count], Tag(FIELDS)], BY_FORM]


class Record(BaseModel):
    """A mapping of known fields. An empty text is a field that is not there."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", defer_build=True)


class Choice(Record):
    """A mapping that holds exactly one of some fields, and perhaps others."""

    one_of: ClassVar[tuple[str, ...]]
    """Names of the fields, as Python writes them."""
    within: ClassVar[tuple[str, str]] = ("", "")
    """Of these two, the first can be given in the mapping of the second."""

    @model_validator(mode="after")
    def _holds_one(self) -> Self:
        given = [name for name in self.one_of if getattr(self, name)]
        if len(given) != 1:
            raise PydanticCustomError("one_of", "", {"given": given, "model": type(self)})
        return self
