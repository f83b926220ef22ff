//needs UnmarshalNotification

package testee

import types "example.com/agentlines/types"

func init() {
	notify = func(s *types.Session, payload string) ([]byte, error) {
		notification, err := types.UnmarshalNotification([]byte(payload))
		if err != nil {
			return nil, err
		}
		return s.Notify(notification)
	}
}
