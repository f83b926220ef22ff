# For the Makefile of a repository that keeps generated code: include polywire.mk
#
# `make POLYWIRE=.venv/bin/polywire polywire-check` takes another polywire than the one on PATH.

POLYWIRE ?= polywire
AGAINST ?= origin/main

.PHONY: polywire polywire-check polywire-breaking

polywire: ## Writes what polywire.toml asks for.
	@$(POLYWIRE) generate

polywire-check: ## Fails when what is generated is not what polywire.toml asks for.
	@$(POLYWIRE) check

polywire-breaking: ## Fails when peers that go by the spec of AGAINST would misread the one that is here.
	@$(POLYWIRE) breaking --against git:$(AGAINST) --category wire --allow-major
