module bench

go 1.24

require (
	example.com/agentlines v0.0.0
	github.com/google/uuid v1.6.0
)

replace example.com/agentlines => ../../generated/go
