//! Trees of entries.

use crate::sample::{Framed, Line, Wood};
use crate::{decode, Json, TreeEntry, TreeId};

/// An entry as plain JSON, whose ids are written as JSON.
fn entry(id: impl Into<Json>, parent: impl Into<Json>, host: impl Into<Json>) -> Json {
    let (id, parent, host) = (id.into(), parent.into(), host.into());
    json(&format!(
        r#"{{"id":{id},"parent":{parent},"at":{{"host":{host}}}}}"#
    ))
}

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

fn grown(entries: impl IntoIterator<Item = Json>) -> Wood<Json> {
    let mut tree = Wood::new();
    for each in entries {
        assert!(tree.add(each.clone()), "{each} was not added");
    }
    tree
}

fn ids(entries: &[&Json]) -> Vec<String> {
    let ids = entries.iter().map(|each| each.get("id").unwrap());
    ids.map(|id| id.text().replace('"', "")).collect()
}

/// An entry of any kind.
#[derive(Debug, PartialEq)]
enum Any {
    Line(Line),
    Framed(Framed),
    Json(Json),
}

impl TreeEntry for Any {
    fn tree_json(&self) -> Option<Json> {
        match self {
            Any::Line(line) => line.tree_json(),
            Any::Framed(framed) => framed.tree_json(),
            Any::Json(json) => json.tree_json(),
        }
    }
}

#[test]
fn decoded_values_unknowns_and_json_are_entries_of_one_tree() {
    let framed = Any::Framed(
        decode(r#"{"kind":"framed","from":"a","radius":1,"before":"z","parent":null}"#).unwrap(),
    );
    let unknown = Any::Line(decode(r#"{"kind":"new","id":"b","parent":"a"}"#).unwrap());
    assert!(matches!(unknown, Any::Line(Line::Unknown(_))));
    let plain = Any::Json(json(r#"{"id":null,"from":"c","parent":"b"}"#));
    let mut tree = Wood::new();
    for each in [framed, unknown, plain] {
        assert!(tree.add(each));
    }
    assert!(!tree.add(Any::Json(json("[]"))));
    let path = tree.path();
    assert_eq!(path.len(), 3);
    assert!(matches!(
        path[..],
        [Any::Framed(_), Any::Line(_), Any::Json(_)]
    ));
    assert_eq!(tree.roots(), [path[0]]);
    assert_eq!(tree.leaves(), [path[2]]);
    assert_eq!(tree.children("a"), [path[1]]);
    assert!(tree.add(Any::Json(entry("z", (), ()))));
    assert_eq!(tree.history_to("c").len(), 4);
    assert_eq!(tree.path_to("c").len(), 3);
}

#[test]
fn a_tree_holds_lines_by_default() {
    let mut tree = <Wood>::default();
    assert!(tree.add(decode(r#"{"kind":"new","id":"a"}"#).unwrap()));
    assert_eq!(tree.path().len(), 1);
    assert_eq!(tree.clone().history(), tree.path());
}

#[test]
fn anything_but_a_string_or_an_integer_is_no_id() {
    for value in [
        "null",
        "true",
        "1.5",
        "9007199254740992",
        "-9007199254740992",
        "1e300",
        "[]",
        "{}",
    ] {
        let mut tree = Wood::new();
        assert!(!tree.add(entry(json(value), (), ())), "{value}");
        assert!(!tree.add(json(value)), "{value}");
        assert!(tree.path().is_empty() && tree.leaves().is_empty() && tree.roots().is_empty());
        assert!(tree.add(entry("a", json(value), json(value))));
        assert_eq!(ids(&tree.history()), ["a"]);
        assert_eq!(ids(&tree.roots()), ["a"]);
    }
}

#[test]
fn one_and_its_digits_differ_and_one_is_one_however_it_is_written() {
    let entries = [
        entry(1, (), ()),
        entry("1", (), ()),
        entry(json("2.0"), json("1e0"), ()),
        entry("b", "1", ()),
    ];
    let tree = grown(entries);
    assert_eq!(ids(&tree.children(1)), ["2.0"]);
    assert_eq!(ids(&tree.children("1")), ["b"]);
    assert_eq!(ids(&tree.path_to(TreeId::Integer(2))), ["1", "2.0"]);
    assert_eq!(ids(&tree.path_to(String::from("b"))), ["1", "b"]);
    assert!(tree.path_to("z").is_empty() && tree.children("z").is_empty());
}

#[test]
fn an_entry_of_a_repeated_id_takes_the_place_of_the_first() {
    let mut tree = grown([entry("a", (), ()), entry("b", "a", ()), entry("c", "a", ())]);
    assert_eq!(ids(&tree.children("a")), ["b", "c"]);
    assert!(tree.add(entry("b", (), ())));
    assert_eq!(ids(&tree.roots()), ["a", "b"]);
    assert_eq!(ids(&tree.children("a")), ["c"]);
    assert_eq!(ids(&tree.path()), ["a", "c"]);
}

#[test]
fn an_attached_entry_is_before_the_first_later_entry_behind_its_host() {
    let entries = [
        entry("call 1", (), ()),
        entry("call 2", "call 1", ()),
        entry("result 1", "call 1", "call 1"),
        entry("result 2", "call 2", "call 2"),
    ];
    let tree = grown(entries);
    assert_eq!(
        ids(&tree.path()),
        ["call 1", "call 2", "result 1", "result 2"]
    );
    assert_eq!(ids(&tree.leaves()), ["call 2"]);
    let mut tree = grown([entry("a", (), "a")]);
    assert_eq!(ids(&tree.leaves()), ["a"]); // none is attached to itself
    assert!(tree.add(entry("a", "a", ())));
    assert_eq!(
        (tree.path().len(), tree.leaves().len(), tree.roots().len()),
        (1, 0, 0)
    );
}

#[test]
fn long_branches_and_many_children_take_linear_time() {
    let count = 20_000; // with quadratic time, the test would take minutes
    let chain = || (0..count).map(|n| entry(n, n - 1, ()));
    assert_eq!(grown(chain()).path().len(), count as usize);
    let backwards = grown(chain().collect::<Vec<_>>().into_iter().rev());
    assert_eq!(ids(&backwards.path()[..2]), ["0", "1"]);
    // Each attached entry was added before its host, which makes a search from the host on take quadratic time.
    let late = (0..count).rev().map(|n| entry(format!("late {n}"), (), n));
    let tree = grown(late.chain(chain()));
    assert_eq!(tree.path().len(), 2 * count as usize);
    let wide = (0..count).map(|n| entry(n, "root", "root"));
    let tree = grown([entry("root", (), ())].into_iter().chain(wide));
    assert_eq!(ids(&tree.leaves()), ["root"]);
    assert_eq!(tree.children("root").len() + 1, tree.path().len());
    let ring = grown((0..count).map(|n| entry(n, (n + 1) % count, ())));
    assert_eq!(
        (ring.path().len(), ring.leaves().len()),
        (count as usize, 0)
    );
}
