module bench

go 1.24

require (
	github.com/agentproto/agentproto-go v0.0.0
	github.com/google/uuid v1.6.0
)

replace github.com/agentproto/agentproto-go => ../../generated/go
