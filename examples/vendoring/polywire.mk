# For the Makefile of a repository with generated code: include polywire.mk
#
# To use another polywire than the one on PATH: make POLYWIRE=.venv/bin/polywire polywire-check

POLYWIRE ?= polywire
AGAINST ?= origin/main

.PHONY: polywire polywire-check polywire-breaking

polywire: ## Generates the code that polywire.toml describes.
	@$(POLYWIRE) generate

polywire-check: ## Fails if the generated code is not up to date.
	@$(POLYWIRE) check

polywire-breaking: ## Fails if peers that use the spec of AGAINST would misread the current one.
	@$(POLYWIRE) breaking --against git:$(AGAINST)
