module example.com/polywireruntime

go 1.24

require (
	github.com/go-json-experiment/json v0.0.0-20250517221953-25912455fbc8
	github.com/google/uuid v1.6.0
)
