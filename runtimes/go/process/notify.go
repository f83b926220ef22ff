// Notifications: messages without an answer.

package process

import (
	"context"

	protocol "example.com/polywireruntime"
)

// Notify sends a notification.
func (p *Process) Notify(ctx context.Context, notification protocol.Notification) error {
	return p.send(ctx, func() ([]byte, error) { return p.session.Notify(notification) })
}
