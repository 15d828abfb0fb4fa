"""Names of the spec become facts of the catalogue."""
