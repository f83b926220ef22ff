"""What every other part may use: locations, JSON values, words, paths, git, errors and findings."""
