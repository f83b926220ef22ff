"""Cases against testees: what every binding must do, held against what each one does."""
