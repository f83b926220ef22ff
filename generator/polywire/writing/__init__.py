"""A plan and its targets → files: rendered in memory, compared, and written all or nothing."""
