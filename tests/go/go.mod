module gotests

go 1.24

require (
	bench v0.0.0
	example.com/agentlines v0.0.0
	github.com/google/go-cmp v0.7.0
	github.com/google/uuid v1.6.0
)

replace bench => ../../benchmarks/go

replace example.com/agentlines => ../../generated/go
