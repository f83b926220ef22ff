//! Bounds on the cost of hostile lines, counted in allocated bytes.

use agentlines::launch::{launch_with, Functions, Release};
use agentlines::*;

use crate::counting::cost;

const USER: &str = r#"{"type":"user","session_id":"s","parent_tool_use_id":null,"message":{"role":"user","content":"#;

/// What each line starts with, repeats and ends with; `@` becomes the number of the repetition.
const SHAPES: [(&str, &str, &str); 10] = [
    (r#"{"type":"keep_alive","a":1,"a":2"#, r#","k@":{}"#, "}"),
    (
        r#"{"type":"keep_alive","x":[{"a":1,"a":2}"#,
        r#",{"\u0061":1}"#,
        "]}",
    ),
    (r#"{"type":"keep_alive","x":0"#, r#","x":[]"#, "}"),
    (USER, r#"[{"type":"x@"},"#, "0"),
    (
        "[",
        r#"{"type":"text","text":"a","cache_control":null},"#,
        "0]",
    ),
    (r#"{"type":"keep_alive","x":["#, "[],", "[]]}"),
    (r#"{"type":"keep_alive","x":["#, "0,", "0]}"),
    (r#"{"type":"keep_alive","x":""#, r"\n", r#""}"#),
    (r#"{"type":"keep_alive","x":""#, r"\ud800", r#""}"#),
    ("", "[", ""),
];

fn line(shape: usize, length: usize) -> String {
    let (head, part, tail) = SHAPES[shape];
    let count = length / part.len();
    let parts = (0..count).map(|number| part.replace('@', &number.to_string()));
    let body: String = parts.collect();
    match (shape, head) {
        (3, USER) => format!(
            "{USER}[{}]}}}}",
            body.replace("[{", "{").trim_end_matches(',')
        ),
        (4, _) => format!("{USER}[{}]}}}}", body.trim_end_matches(',')),
        _ => format!("{head}{body}{tail}"),
    }
}

/// A way to decode a line, and its name.
type Way = (&'static str, fn(&str));

const WAYS: [Way; 5] = [
    ("lenient", |line| drop(decode::<Message>(line))),
    ("strict", |line| {
        drop(decode_with::<Message>(line, Mode::Strict))
    }),
    ("examine", |line| drop(examine::<Message>(line))),
    ("encode", |line| {
        if let Ok(message) = decode::<Message>(line) {
            drop(encode(&message));
        }
    }),
    ("serde", |line| {
        if let Ok(message) = serde_json::from_str::<Message>(line) {
            drop(serde_json::to_string(&message));
        }
    }),
];

#[test]
fn memory_is_bounded_by_the_line_and_grows_as_it_does() {
    for shape in 0..SHAPES.len() {
        let (small, large) = (line(shape, 25_000), line(shape, 100_000));
        for (name, way) in WAYS {
            let (_, once) = cost(|| way(&small));
            let (peak, total) = cost(|| way(&large));
            assert!(
                peak <= 100 * large.len() + 1_000_000,
                "{name}, shape {shape}: {peak}"
            );
            assert!(
                total <= 6 * once + 1_000_000,
                "{name}, shape {shape}: {once}, then {total}"
            );
        }
    }
}

#[test]
fn thousands_of_tolerated_places_are_kept_as_steps() {
    let deep = r#"{"a":"#.repeat(100) + "1" + &"}".repeat(100);
    let places: Vec<_> = (0..5000)
        .map(|number| format!(r#""k{number}":0"#))
        .collect();
    let text = format!(r#"{{"type":"keep_alive","x":{deep},{}}}"#, places.join(","));
    let (peak, _) = cost(|| examine::<Message>(&text).unwrap().unknown.len());
    assert!(peak <= 30 * text.len(), "{peak} of {}", text.len());
    assert_eq!(examine::<Message>(&text).unwrap().unknown.len(), 5001);
}

#[test]
fn small_objects_of_large_types_are_bounded_as_well() {
    /// Many values with mostly absent members.
    fn many<T: Wire>(name: &str, item: &str) {
        let text = format!("[{}]", vec![item; 100_000 / item.len()].join(","));
        let (peak, _) = cost(|| decode::<Vec<T>>(&text).unwrap());
        assert!(peak <= 100 * text.len() + 1_000_000, "{name}: {peak}");
        let (peak, _) = cost(|| examine::<Vec<T>>(&text).unwrap());
        assert!(peak <= 100 * text.len() + 1_000_000, "{name}: {peak}");
    }
    many::<agentlines::tools::ProjectSearchHit>("ProjectSearchHit", "{}");
    many::<agentlines::settings::McpServerRule>("McpServerRule", "{}");
    many::<agentlines::settings::ModelSettings>("ModelSettings", "{}");
    many::<agentlines::options::HookMatcher>("HookMatcher", "{}");
    many::<agentlines::content::ContentBlock>("ContentBlock", r#"{"type":"x"}"#);
    many::<Json>("Json", "0");
}

// --- launches -----------------------------------------------------------------------------------

/// What the JSON of options starts with, repeats and ends with; `@` becomes the number of the repetition, and `#` a
/// text that is as long as all repetitions together.
const OPTIONS: [(&str, &str, &str); 9] = [
    (r##"{"hooks":{"#":["##, r#"{"matcher":"a"},"#, "{}]}}"),
    (r#"{"hooks":{"Stop":["#, "{},", "{}]}}"),
    (r#"{"hooks":{"#, r#""k@":[{}],"#, r#""Stop":[]}}"#),
    (
        r#"{"skills":["a"],"allowedTools":["#,
        r#""t@","#,
        r#""t"]}"#,
    ),
    (r#"{"extraArgs":{"#, r#""k@":"v","#, r#""model":null}}"#),
    (r#"{"env":{"#, r#""K@":"v","#, r#""K":"v"}}"#),
    (
        r#"{"sandbox":{"enabled":true},"settings":{"x":["#,
        "[1],",
        "[]]}}",
    ),
    (
        r#"{"sandbox":{"enabled":true},"settings":"{\"x\":["#,
        "[1],",
        r#"[]]}"}"#,
    ),
    (
        r#"{"mcpServers":{"#,
        r#""s@":{"type":"sdk","name":"s"},"#,
        r#""s":{"command":"c"}}}"#,
    ),
];

fn options(shape: usize, length: usize) -> String {
    let (head, part, tail) = OPTIONS[shape];
    let parts = (0..length / part.len()).map(|number| part.replace('@', &number.to_string()));
    let body: String = parts.collect();
    format!("{}{body}{tail}", head.replace('#', &"x".repeat(length)))
}

#[test]
fn a_launch_costs_in_proportion_to_its_options() {
    for shape in 0..OPTIONS.len() {
        let costs = [1 << 14, 1 << 16].map(|length| {
            let text = options(shape, length);
            let options: QueryOptions = decode(&text).unwrap();
            let hooks = options.hooks.iter().flatten();
            let places: Vec<_> = hooks
                .flat_map(|(event, matchers)| (0..matchers.len()).map(|at| (event.as_str(), at)))
                .take(if shape == 0 { 1 } else { usize::MAX })
                .collect();
            let (peak, total) = cost(|| {
                let functions = places.iter().fold(Functions::new(), |given, (event, at)| {
                    given.hooks(*event, *at, |_, _| async {
                        Err::<agentlines::hooks::HookJsonOutput, _>("not now")
                    })
                });
                let made = launch_with(&options, functions, Release::NEWEST);
                assert!(made.is_ok(), "{shape}: {made:?}");
            });
            let most = 100 * text.len() + (1 << 10) * places.len() + (1 << 20);
            assert!(peak <= most, "{shape}: {peak} at once");
            total
        });
        assert!(costs[1] <= 5 * costs[0], "{shape}: {costs:?} in all");
    }
}
