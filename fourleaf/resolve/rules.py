"""Kinds of diagnostics that looking names up yields."""

from __future__ import annotations

from fourleaf.diag import Rule, Severity

ERROR = Severity.ERROR

UNKNOWN_CARD = Rule("FL102", "unknown-card", ERROR, "the catalogue has no card of this name", allowable=False)
AMBIGUOUS_CARD = Rule("FL103", "ambiguous-card", ERROR, "a name that several cards of the catalogue share", allowable=False)
UNKNOWN_HOST = Rule("FL104", "unknown-host", ERROR, "the catalogue has no host of this name", allowable=False)
UNKNOWN_DISTRIBUTION = Rule("FL105", "unknown-distribution", ERROR, "the catalogue has no distribution of this name", allowable=False)
MISMATCH = Rule("FL106", "host-does-not-match", ERROR, "host, distribution and Kubernetes version contradict each other")
UNKNOWN_COMPONENT = Rule("FL107", "unknown-component", ERROR, "stack names a component that the catalogue does not have", allowable=False)
UNKNOWN_NAME = Rule("FL108", "unknown-name", ERROR, "a name that nothing in the spec has", allowable=False)
UNKNOWN_KUBERNETES = Rule("FL109", "unknown-kubernetes", ERROR, "a release of Kubernetes that the tables do not have", allowable=False)
UNKNOWN_GATE = Rule("FL111", "unknown-feature-gate", ERROR, "a feature gate that this release of Kubernetes does not have")
LOCKED_GATE = Rule(
    "FL112", "locked-feature-gate", ERROR, "a feature gate that this release of Kubernetes lets nobody change", allowable=False
)
NO_REPOSITORY = Rule(
    "FL130", "delivery-without-repository", ERROR, "a target that needs to know the repository, and none is given", allowable=False
)

NO_MIG = Rule("FL200", "mig-on-card-without-mig", ERROR, "a MIG layout for a card that cannot be partitioned", allowable=False)
UNKNOWN_PROFILE = Rule("FL201", "profile-not-on-card", ERROR, "a MIG profile that the card does not have", allowable=False)
MISFIT = Rule("FL202", "layout-does-not-fit", ERROR, "instances that one card cannot hold together", allowable=False)
NOT_COVERED = Rule(
    "FL203", "cards-not-covered-once", ERROR, "layouts that leave a card out, name it twice, or name one that is not there", allowable=False
)
LAYOUT_OF_NOTHING = Rule(
    "FL217", "present-layout-of-nothing", Severity.WARNING, "a file of present layouts names a pool or node that the spec does not have"
)
OTHER_VENDOR = Rule("FL204", "partition-of-other-vendor", ERROR, "a way of partitioning that the pool's cards do not know", allowable=False)
NO_SLICES = Rule("FL205", "no-slices-to-share", ERROR, "slices are to be shared, and no card is cut", allowable=False)

NO_MODES = Rule("FL230", "modes-on-card-without-modes", ERROR, "a mode for a card that is not partitioned by modes", allowable=False)
UNKNOWN_MODE = Rule("FL231", "mode-not-on-card", ERROR, "a compute and memory mode that the card does not have", allowable=False)
MODES_COUNT = Rule("FL232", "modes-not-covering-node", ERROR, "modes for more or fewer cards than a node has", allowable=False)
MEMORY_MODES = Rule("FL233", "memory-modes-mixed", ERROR, "several memory modes in one node", allowable=False)

TWICE_IN_TURNS = Rule("FL410", "workload-in-two-groups", ERROR, "a workload that takes turns in two exclusive groups", allowable=False)
NO_NAMESPACE = Rule(
    "FL420", "workload-without-namespace", ERROR, "a workload whose namespace does not follow from the spec", allowable=False
)

TENANT_CYCLE = Rule("FL520", "tenant-cycle", ERROR, "tenants that are each other's parents", allowable=False)
NAMESPACE_TWICE = Rule("FL521", "namespace-of-two-tenants", ERROR, "a namespace that two tenants claim", allowable=False)
INNER_WORKLOAD = Rule("FL522", "workload-of-inner-tenant", ERROR, "a workload of a tenant that has children", allowable=False)
OTHER_TENANT = Rule("FL523", "workload-of-other-tenant", ERROR, "a workload whose tenant is not that of its namespace", allowable=False)
INNER_NAMESPACE = Rule(
    "FL524", "namespace-of-inner-tenant", ERROR, "a tenant with children that has namespaces of its own", allowable=False
)

NOT_BUILT_YET = Rule("FL902", "not-built-yet", ERROR, "a value of the language without a system behind it yet", allowable=False)

RULES = (
    UNKNOWN_CARD,
    AMBIGUOUS_CARD,
    UNKNOWN_HOST,
    UNKNOWN_DISTRIBUTION,
    MISMATCH,
    UNKNOWN_COMPONENT,
    UNKNOWN_NAME,
    UNKNOWN_KUBERNETES,
    UNKNOWN_GATE,
    LOCKED_GATE,
    NO_REPOSITORY,
    NO_MIG,
    UNKNOWN_PROFILE,
    MISFIT,
    NOT_COVERED,
    OTHER_VENDOR,
    NO_SLICES,
    LAYOUT_OF_NOTHING,
    NO_MODES,
    UNKNOWN_MODE,
    MODES_COUNT,
    MEMORY_MODES,
    TWICE_IN_TURNS,
    NO_NAMESPACE,
    TENANT_CYCLE,
    NAMESPACE_TWICE,
    INNER_WORKLOAD,
    OTHER_TENANT,
    INNER_NAMESPACE,
    NOT_BUILT_YET,
)
