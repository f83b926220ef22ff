"""Generated code in a user's repository: a file with the settings, and a command that watches for changes."""
