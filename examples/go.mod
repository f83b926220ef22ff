module examples

go 1.24

require github.com/agentproto/agentproto-go v0.0.0

require (
	github.com/google/uuid v1.6.0 // indirect
)

replace github.com/agentproto/agentproto-go => ../generated/go
