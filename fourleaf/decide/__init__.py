"""Which leaf of the tree a cluster sits on, and why."""
