// Package user tells what stands on a shelf.
package user

import "wares/wares"

// Told tells it.
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

// Bottle is full of apple juice.
var Bottle = wares.Bottle{Juice: wares.FruitApple}
