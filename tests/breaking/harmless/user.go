// Package user describes a thing on a shelf, with a default case for unknown things.
package user

import "wares/wares"

// Told returns the description.
func Told(thing wares.Shelf) string {
	switch each := thing.(type) {
	case *wares.Bottle:
		if each.Juice == wares.FruitApple {
			return "apple juice"
		}
		return "juice"
	case *wares.Glass:
		return string(each.Jam)
	default:
		return "something new"
	}
}

// Bottle is a bottle of apple juice.
var Bottle = wares.Bottle{Juice: wares.FruitApple}
