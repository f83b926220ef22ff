module examples

go 1.24

require github.com/agentproto/agentproto-go v0.0.0

require (
	github.com/go-json-experiment/json v0.0.0-20250517221953-25912455fbc8 // indirect
	github.com/google/uuid v1.6.0 // indirect
)

replace github.com/agentproto/agentproto-go => ../generated/go
