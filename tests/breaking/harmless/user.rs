//! Describes a thing on a shelf, with a default case for unknown things.

use wares::harmless::{Bottle, Fruit};
use wares::Shelf;

fn told(thing: &Shelf) -> &'static str {
    match thing {
        Shelf::Bottle(bottle) => match bottle.juice {
            Fruit::Apple => "apple juice",
            _ => "juice",
        },
        Shelf::Glass(_) => "jam",
        _ => "something new",
    }
}

fn main() {
    println!("{}", told(&Bottle::new(Fruit::Apple).into()));
}
