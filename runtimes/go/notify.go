// Notifications: messages without an answer.

package polywireruntime

// Notification is a message without an answer.
type Notification interface{ notice() *pairing }

// Notify returns the line of a notification.
func (s *Session) Notify(notification Notification) ([]byte, error) {
	own, notice := identify(notification, s.by.notices)
	if own == nil {
		return nil, errNil
	}
	if !s.sends(notice) {
		return nil, s.wrongDirection(own)
	}
	return marshal(Notify(notification))
}
