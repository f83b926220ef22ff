module gotests

go 1.24

require (
	bench v0.0.0
	github.com/agentproto/agentproto-go v0.0.0
	github.com/google/go-cmp v0.7.0
	github.com/google/uuid v1.6.0
)

replace bench => ../../benchmarks/go

replace github.com/agentproto/agentproto-go => ../../generated/go
