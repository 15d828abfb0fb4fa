"""Rules of the text of a spec. They cannot be allowed: a spec that breaks one has no meaning to go on with."""

from __future__ import annotations

from fourleaf.diag import Rule, Severity


def _rule(code: str, name: str, summary: str, severity: Severity = Severity.ERROR) -> Rule:
    return Rule(code, name, severity, summary, allowable=False)


YAML_SYNTAX = _rule("FL001", "yaml-syntax", "the text is not YAML")
DUPLICATE_KEY = _rule("FL002", "duplicate-key", "a mapping has one key twice")
UNKNOWN_FIELD = _rule("FL003", "unknown-field", "the language has no such field there")
MISSING_FIELD = _rule("FL004", "missing-field", "a field without a default is not there")
WRONG_TYPE = _rule("FL005", "wrong-type", "a value has another type than its field")
VALUE_OUT_OF_RANGE = _rule("FL006", "value-out-of-range", "a number, or the length of something, is beyond what the field takes")
NOT_A_CLUSTER_SPEC = _rule("FL007", "not-a-cluster-spec", "the file holds something other than a cluster spec")
MORE_THAN_ONE_DOCUMENT = _rule("FL008", "more-than-one-document", "a file holds several YAML documents")
SPEC_TOO_LARGE = _rule("FL009", "spec-too-large", "the text, its depth or what its aliases stand for is beyond a limit")
UNSUPPORTED_YAML = _rule(
    "FL010", "unsupported-yaml", "the text uses a part of YAML that a spec cannot: tags, merge keys, control characters"
)
DUPLICATE_NAME = _rule("FL011", "duplicate-name", "two things of one kind have one name")
FILE_NOT_READABLE = _rule("FL012", "file-not-readable", "a file is missing, a folder, or not text")
FILE_OUTSIDE_REPOSITORY = _rule("FL013", "file-outside-repository", "a path leads out of the repository of the spec")
MALFORMED_TEXT = _rule("FL016", "malformed-text", "a name, version or amount does not have the form that it needs")
UNKNOWN_WORD = _rule("FL017", "unknown-word", "a field takes certain words, and this is none of them")
FIELDS_EXCLUDE_EACH_OTHER = _rule("FL018", "fields-exclude-each-other", "of several fields one must be there, and more are")

RULES = (
    YAML_SYNTAX,
    DUPLICATE_KEY,
    UNKNOWN_FIELD,
    MISSING_FIELD,
    WRONG_TYPE,
    VALUE_OUT_OF_RANGE,
    NOT_A_CLUSTER_SPEC,
    MORE_THAN_ONE_DOCUMENT,
    SPEC_TOO_LARGE,
    UNSUPPORTED_YAML,
    DUPLICATE_NAME,
    FILE_NOT_READABLE,
    FILE_OUTSIDE_REPOSITORY,
    MALFORMED_TEXT,
    UNKNOWN_WORD,
    FIELDS_EXCLUDE_EACH_OTHER,
)
