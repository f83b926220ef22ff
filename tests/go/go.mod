module gotests

go 1.24

require (
	bench v0.0.0
	github.com/agentproto/agentproto-go v0.0.0
	github.com/google/uuid v1.6.0
)

require github.com/go-json-experiment/json v0.0.0-20250517221953-25912455fbc8 // indirect

replace bench => ../../benchmarks/go

replace github.com/agentproto/agentproto-go => ../../generated/go
