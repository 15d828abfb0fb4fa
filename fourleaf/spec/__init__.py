"""What the user wrote: text becomes a typed spec, and every mistake in it a diagnostic with its place."""
