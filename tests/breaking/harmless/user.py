"""Describes a thing on a shelf, with a default case for unknown things."""

import wares


def told(thing: wares.Shelf) -> str:
    match thing:
        case wares.Bottle(juice="apple"):
            return "apple juice"
        case wares.Bottle():
            return "juice"
        case wares.Glass(jam=jam):
            return f"{jam} jam"
        case _:
            return "something new"


BOTTLE = told(wares.Bottle(juice=wares.FruitValue.APPLE))
