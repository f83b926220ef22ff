"""Tells what stands on a shelf."""

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
