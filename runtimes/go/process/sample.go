package process

import (
	"context"

	protocol "example.com/polywireruntime"
)

// This file is not copied into packages. It contains the declarations that generated files add to this
// package.

func refused(session *protocol.Session, request *protocol.SessionRequest, message string) ([]byte, error) {
	return session.Refuse(request, message)
}

// Refuse answers a request that no function answers with an error.
func (p *Process) Refuse(ctx context.Context, request *protocol.SessionRequest, message string) error {
	return p.send(ctx, func() ([]byte, error) { return p.session.Refuse(request, message) })
}
