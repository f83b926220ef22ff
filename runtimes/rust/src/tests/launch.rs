//! Options and the resulting launches.

use std::ffi::OsString;

use crate::launch::{launch, launch_with, Functions, Launch, LaunchError, Release};
use crate::sample::{Circle, Framed, Pitch, Shape, Tone};
use crate::{decode, Code, Json, Object};

fn options(text: &str) -> Object {
    decode(text).unwrap()
}

fn tone(pitch: Pitch) -> Tone {
    Tone {
        kind: false,
        pitch,
        extra: Object::new(),
    }
}

async fn hook(_: Framed, _: Shape) -> Result<Circle, String> {
    Err("not now".into())
}

fn started(text: &str) -> Launch {
    launch(&options(text), Release::NEWEST).unwrap()
}

fn refused(text: &str) -> LaunchError {
    launch(&options(text), Release::NEWEST).unwrap_err()
}

#[test]
fn options_become_arguments_in_the_order_of_the_record() {
    let made = started(r#"{"tools":["a","b"],"model":"m","late":true}"#);
    assert_eq!(
        made.arguments,
        ["--first", "--model", "m", "--tools", "a,b", "--late"]
    );
    assert_eq!(made.requests["begin"].text(), r#"{"what":"begin"}"#);
    assert_eq!((made.cwd, made.program, made.script), (None, None, None));
}

#[test]
fn an_option_depends_on_the_value_of_another_and_a_flag_on_what_is_left() {
    let halls = r#""halls":{"a":{"off":true},"b":{}}"#;
    for (text, expected) in [
        (format!("{{{halls}}}"), &["--halls"][..]),
        (r#"{"halls":{"a":{"off":true}}}"#.into(), &[]),
        (
            format!(r#"{{"model":"m",{halls}}}"#),
            &["--model", "m", "--halls"],
        ),
        (format!(r#"{{"model":"n",{halls}}}"#), &["--model", "n"]),
    ] {
        assert_eq!(started(&text).arguments[1..], *expected, "{text}");
    }
}

#[test]
fn a_text_that_looks_like_a_flag_stands_in_the_argument_of_its_flag() {
    let made = started(r#"{"model":"--x","more":{"a":"-1","b":null,"c":"-"}}"#);
    assert_eq!(
        made.arguments,
        ["--first", "--model=--x", "--a=-1", "--b", "--c", "-"]
    );
}

#[test]
fn a_list_takes_no_item_that_another_option_has_put_there() {
    let made = started(r#"{"tools":["Skill(a)","b","b"],"skills":["a","c"]}"#);
    assert_eq!(
        made.arguments,
        ["--first", "--tools", "Skill(a),b,b,Skill(c)"]
    );
}

#[test]
fn a_text_that_could_say_something_else_cannot_be_wrapped() {
    for text in ["a)", "a,b", " a", "a ", "(a", "\\n"] {
        let error = refused(&format!(r#"{{"skills":["ok","{text}"]}}"#));
        assert_eq!(error.as_str(), "cannot_travel");
        assert_eq!(error.paths().collect::<Vec<_>>(), ["/skills/1"]);
    }
}

#[test]
fn options_share_the_object_of_a_flag() {
    let made = started(r#"{"settings":"{\"a\": [1, 2]}","sandbox":{"on":true}}"#);
    let object = r#"{"a":[1,2],"sandbox":{"on":true}}"#;
    assert_eq!(made.arguments, ["--first", "--settings", object]);
    let made = started(r#"{"settings":"no JSON"}"#);
    assert_eq!(made.arguments, ["--first", "--settings", "no JSON"]);
    let error = refused(r#"{"settings":"no JSON","sandbox":{}}"#);
    assert_eq!(error.to_string(), "cannot_travel at /settings: other options have a place in this, so it must be the text of a JSON object");
}

#[test]
fn two_options_with_one_place_are_named_both() {
    let error = refused(r#"{"settings":{"sandbox":1},"sandbox":{"on":true}}"#);
    let LaunchError::Conflict { paths, message } = error else {
        panic!("{error}");
    };
    assert_eq!(paths, ["/settings", "/sandbox"]);
    assert_eq!(message, "both give /sandbox of --settings");
    let error = refused(r#"{"settings":{"a":1},"more":{"settings":"{}"}}"#);
    assert_eq!(
        error.paths().collect::<Vec<_>>(),
        ["/settings", "/more/settings"]
    );
}

#[test]
fn functions_get_ids_in_the_order_of_the_document() {
    let options = options(r#"{"hooks":{"Stop":[{},{"x":1}],"Go":[{"ids":null}]}}"#);
    let functions = Functions::new()
        .hooks("Go", 0, hook)
        .hooks("Stop", 1, hook)
        .hooks("Stop", 0, hook)
        .hooks("Stop", 1, |_, _| async { Err::<Circle, _>("no") });
    let made = launch_with(&options, functions, Release::NEWEST).unwrap();
    let hooks = made.requests["begin"].get("hooks").unwrap().text();
    assert_eq!(
        hooks,
        r#"{"Stop":[{"ids":["hook_0"]},{"x":1,"ids":["hook_1","hook_2"]}],"Go":[{"ids":["hook_3"]}]}"#
    );
    let called = made.functions.iter().map(|each| {
        assert_eq!((each.receives.as_ref(), each.live), (None, false));
        (&*each.place, each.control.as_deref(), each.id.as_deref())
    });
    let expected = [
        ("/hooks/Stop/0/run/0", Some("framed"), Some("hook_0")),
        ("/hooks/Stop/1/run/0", Some("framed"), Some("hook_1")),
        ("/hooks/Stop/1/run/1", Some("framed"), Some("hook_2")),
        ("/hooks/Go/0/run/0", Some("framed"), Some("hook_3")),
    ];
    assert_eq!(called.collect::<Vec<_>>(), expected);
}

#[test]
fn a_release_without_ids_calls_no_function() {
    let options = options(r#"{"hooks":{"Stop":[{}]}}"#);
    let functions = Functions::new().hooks("Stop", 0, hook);
    let made = launch_with(&options, functions, Release::OLDEST).unwrap();
    let hooks = made.requests["begin"].get("hooks").unwrap().text();
    assert_eq!(hooks, r#"{"Stop":[{}]}"#);
    assert_eq!(made.functions[0].place, "/hooks/Stop/0/run/0");
    assert_eq!(made.functions[0].control, None);
}

#[test]
fn a_function_in_a_map_is_selected_by_its_key() {
    let options = options(r#"{"servers":{"high":{},"low":{}}}"#);
    let functions = Functions::new()
        .servers(Pitch::Low, || async { Ok::<_, String>(Json::NULL) })
        .stderr(|_| {});
    let made = launch_with(&options, functions.clone(), Release::NEWEST).unwrap();
    let [server, stderr] = &made.functions[..] else {
        panic!("{made:?}");
    };
    assert_eq!(server.place, "/servers/low/run");
    assert_eq!(
        (server.control.as_deref(), server.id.as_deref()),
        (Some("gift"), Some("low"))
    );
    assert_eq!((&*stderr.place, stderr.control.as_ref()), ("/stderr", None));
    assert_eq!(stderr.receives.as_deref(), Some("stderr"));
    let again = launch_with(&options, functions, Release::NEWEST).unwrap();
    assert_eq!(made, again);
    assert!(format!("{made:?}").contains("Answering(WrappedGift)"));
    let other = Functions::new().stderr(|_| {});
    let other = launch_with(&options, other, Release::NEWEST).unwrap();
    assert_ne!(made.functions[1], other.functions[0]);
}

#[cfg(feature = "__conformance")]
#[test]
fn an_object_that_is_not_called_has_a_place() {
    let functions = Functions::new().put_at("/signal", 1);
    let made = launch_with(&options("{}"), functions, Release::NEWEST).unwrap();
    assert!(made.functions[0].live);
    assert_eq!(made.functions[0].place, "/signal");
}

#[test]
fn a_function_that_answers_a_control_travels_as_an_option() {
    let functions = || {
        let decide = |pitch| async move { Ok::<_, String>(tone(pitch)) };
        Functions::new().decide(decide).decide(decide)
    };
    let made = launch_with(&options("{}"), functions(), Release::NEWEST).unwrap();
    assert_eq!(made.arguments, ["--first", "--decide", "stdio"]);
    let [decide] = &made.functions[..] else {
        panic!("{made:?}");
    };
    assert_eq!(decide.place, "/decide");
    assert_eq!(
        (decide.control.as_deref(), &decide.id),
        (Some("tone"), &None)
    );
    let error = launch_with(&options(r#"{"model":"m"}"#), functions(), Release::NEWEST);
    assert_eq!(
        error.unwrap_err().to_string(),
        "conflict at /model and /decide: Only one of both."
    );
}

#[test]
fn a_function_without_a_place_in_the_options_is_refused() {
    for (text, path) in [
        (r#"{"hooks":{"Stop":[{}]}}"#, "/hooks/a~1b/0/run"),
        (r#"{"hooks":{"a/b":[]}}"#, "/hooks/a~1b/0/run"),
        (r#"{"hooks":{"a/b":[1]}}"#, "/hooks/a~1b/0/run"),
        (r#"{"hooks":1}"#, "/hooks/a~1b/0/run"),
        ("{}", "/hooks/a~1b/0/run"),
    ] {
        let functions = Functions::new().hooks("a/b", 0, hook);
        let error = launch_with(&options(text), functions, Release::NEWEST).unwrap_err();
        assert_eq!(error.as_str(), "cannot_travel", "{text}");
        assert_eq!(error.paths().collect::<Vec<_>>(), [path], "{text}");
    }
}

#[test]
fn what_nothing_carries_is_refused() {
    assert_eq!(
        refused(r#"{"a~b":1}"#).paths().collect::<Vec<_>>(),
        ["/a~0b"]
    );
    let error = launch(&options(r#"{"late":true}"#), Release::OLDEST).unwrap_err();
    assert_eq!(error.paths().collect::<Vec<_>>(), ["/late"]);
}

#[test]
fn what_cannot_stand_in_an_argument_is_refused() {
    for (text, path) in [
        (r#"{"model":"a\u0000"}"#, "/model"),
        (r#"{"model":"\ud800"}"#, "/model"),
        (r#"{"model":{"a":1}}"#, "/model"),
        (r#"{"tools":["a",["b"]]}"#, "/tools/1"),
        (r#"{"more":{"\u0000":""}}"#, "/more/\0"),
        (r#"{"more":[]}"#, ""),
        (r#"{"env":{"a=b":""}}"#, "/env/a=b"),
        (r#"{"env":{"":""}}"#, "/env/"),
        (r#"{"env":{"a":null}}"#, "/env/a"),
        (r#"{"env":1}"#, "/env"),
    ] {
        if path.is_empty() {
            assert_eq!(started(text).arguments, ["--first"]); // empty lists are not passed
            continue;
        }
        let error = refused(text);
        assert_eq!(error.as_str(), "cannot_travel", "{text}");
        assert_eq!(error.paths().collect::<Vec<_>>(), [path], "{text}");
    }
}

#[test]
fn a_number_without_a_spelling_is_refused_where_it_stands() {
    let digits = "9".repeat(400);
    let error = refused(&format!(r#"{{"settings":{{"a":[0,{digits}]}}}}"#));
    assert_eq!(error.paths().collect::<Vec<_>>(), ["/settings/a/1"]);
    let error = refused(&format!(r#"{{"model":{digits}}}"#));
    assert_eq!(error.paths().collect::<Vec<_>>(), ["/model"]);
    for settings in ["", r#""settings":{"b":1},"#] {
        let error = refused(&format!(r#"{{{settings}"sandbox":{{"a":[0,{digits}]}}}}"#));
        assert_eq!(error.paths().collect::<Vec<_>>(), ["/sandbox/a/1"]);
    }
}

#[test]
fn numbers_are_spelt_as_in_ecmascript() {
    for (text, spelt) in [
        ("-0.0", "--first"),
        ("1e21", "1e+21"),
        ("1.5e300", "1.5e+300"),
        ("123456789012345680000", "123456789012345680000"),
        ("1e-6", "0.000001"),
        ("1.25e-7", "1.25e-7"),
        ("100", "100"),
        ("0.5", "0.5"),
        ("12.75", "12.75"),
    ] {
        let made = started(&format!(r#"{{"model":{text}}}"#));
        assert_eq!(made.arguments.last().unwrap(), spelt);
    }
    assert_eq!(
        started(r#"{"model":-2.5}"#).arguments,
        ["--first", "--model=-2.5"]
    );
}

#[test]
fn the_environment_is_laid_over_the_own_one() {
    fn own() -> Vec<(OsString, OsString)> {
        let own = [("FROM", ""), ("NOT", "1"), ("MORE", "2")];
        own.map(|(name, text)| (name.into(), text.into())).into()
    }
    let over = |text| {
        let made = started(text).environment.over(own());
        let made = made.into_iter().map(|(name, text)| {
            [name, text]
                .map(|each| each.into_string().unwrap())
                .join("=")
        });
        made.collect::<Vec<_>>()
    };
    assert_eq!(over("{}"), ["FROM=sample", "MORE=2"]);
    assert_eq!(over(r#"{"env":{"A":"b"}}"#), ["A=b", "FROM=sample"]);
    assert_eq!(over(r#"{"env":{"FROM":"me","NOT":"x"}}"#), ["FROM=me"]);
}

#[test]
fn releases_are_named() {
    assert_eq!("1.1".parse::<Release>().unwrap().as_str(), "1.1");
    assert_eq!(
        Release::all().map(Release::as_str).collect::<Vec<_>>(),
        ["1.0", "1.1", "2.0"]
    );
    assert!(Release::OLDEST < Release::default());
    assert_eq!(Release::default(), Release::NEWEST);
    let error = "3".parse::<Release>().unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"there is no release "3"; known are 1.0, 1.1, 2.0"#
    );
    assert_eq!(
        (error.as_str(), error.paths().count()),
        ("unknown_release", 0)
    );
}

#[test]
fn options_that_no_reader_accepts_are_refused() {
    let mut deep = String::from("1");
    for _ in 0..128 {
        deep = format!("[{deep}]");
    }
    let mut options = Object::new();
    options.insert("sandbox", crate::Json::parse(&deep).unwrap());
    let Err(LaunchError::Encode(error)) = launch(&options, Release::NEWEST) else {
        panic!("it is too deep");
    };
    assert_eq!(error.code, Code::TooDeep);
}
