//! The testee for a generated crate: decodes as a user would, and answers with the outcome.
//!
//! With the name of a way through serde (`from_str`, `from_value`, `flatten`), it decodes in that way instead, if it was
//! built with the feature `serde-ways`.

#![cfg_attr(not(feature = "serde-ways"), allow(dead_code, unused_variables))]

use std::fmt::Debug;
use std::io::{self, BufRead, BufReader, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{json, Value};
use tested::{
    decode_with, encode, encode_with, examine_with, AsyncReader, BadLine, Code, DecodeError, Json,
    JsonRef, Kind, LineDecoder, Mode, ReadError, Reader, Wanted, WantedKind, Wire, Writer,
};

/// A request.
struct Request {
    mode: Mode,
    data: Vec<u8>,
    chunks: Option<Vec<Vec<u8>>>,
    /// The messages in the chunks, if they are not lines.
    messages: Option<Vec<Vec<u8>>>,
    limit: Option<usize>,
    only: Option<Vec<WantedKind>>,
}

fn fault(error: &DecodeError) -> Value {
    json!({"ok": false, "code": error.code.as_str(), "path": error.path, "message": error.message})
}

fn problem(text: String) -> Value {
    json!({"problem": text})
}

/// The problem that two ways to do the same have different results. It is not generic, as generic functions are
/// compiled for each type.
fn differing(what: &str, found: &[&dyn Debug]) -> Value {
    problem(format!("{what} {found:?}"))
}

fn accepted(variant: &str, line: String, unknown: Vec<String>) -> Value {
    json!({"ok": true, "variant": variant, "json": line, "unknown": unknown})
}

/// Decodes a document. If two ways to read or write a value disagree, the answer is a problem.
fn decoded<T>(data: &[u8], mode: Mode) -> Value
where
    T: Wire + Clone + Debug + PartialEq + Serialize + DeserializeOwned,
{
    let found = (decode_with::<T>(data, mode), examine_with::<T>(data, mode));
    let (value, variant, unknown) = match found {
        (Err(error), Err(other)) if error == other => return fault(&error),
        (Ok(value), Ok(found)) if value == found.value => {
            (value, found.variant, found.unknown.to_vec())
        }
        (value, found) => return differing("decode and examine give", &[&value, &found]),
    };
    let line = match encode(&value) {
        Ok(line) => line,
        Err(error) => return differing("encode gives", &[&error]),
    };
    match encode_with(&value, Mode::Strict) {
        Ok(text) if text == line => {}
        Err(_) if !unknown.is_empty() => {}
        other => return differing("strict encode and examine give", &[&other, &unknown]),
    }
    match decode_with::<T>(&line, Mode::Lenient) {
        Ok(again) if again == value && encode(&again).as_ref() == Ok(&line) => {}
        other => return differing("what encode gives is read as", &[&other, &line, &value]),
    }
    match by_serde(&value, &line) {
        None => accepted(variant, line, unknown),
        Some(text) => problem(text),
    }
}

/// The difference after a value was converted through serde, if there is one. serde cannot represent lone surrogates,
/// and serde_json converts long integers to doubles.
fn by_serde<T>(value: &T, line: &str) -> Option<String>
where
    T: Debug + PartialEq + Serialize + DeserializeOwned,
{
    let digits = line.split(|c: char| !c.is_ascii_digit());
    let halves = line.contains("\\ud") || line.contains("\\uD");
    if halves || digits.map(str::len).max().unwrap_or_default() > 18 {
        return None;
    }
    let text = match serde_json::to_string(value) {
        Ok(text) => text,
        Err(error) => return Some(format!("serde_json writes {error}")),
    };
    match serde_json::from_str::<T>(&text) {
        Ok(again) if again == *value => None,
        Err(error) if error.to_string().starts_with("recursion limit") => None, // it has 127 levels
        other => Some(by_serde_differs(&text, &other, value)),
    }
}

fn by_serde_differs(text: &str, found: &dyn Debug, value: &dyn Debug) -> String {
    format!("by serde_json, {text} is read as {found:?}, not {value:?}")
}

// --- through serde ------------------------------------------------------------------------------

/// A user's struct.
#[derive(Serialize, Deserialize)]
struct Holder<T> {
    #[serde(flatten)]
    value: T,
}

/// A way through serde: its name, and whether serde_json preserves the value of a document.
struct Way {
    name: &'static str,
    sorts: bool,
    accepts: fn(&str) -> bool,
}

const WAYS: [Way; 3] = [
    Way {
        name: "from_str",
        sorts: false,
        accepts: keeps::<Value>,
    },
    Way {
        name: "from_value",
        sorts: true,
        accepts: keeps::<Value>,
    },
    Way {
        name: "flatten",
        sorts: false,
        accepts: keeps::<Holder<Value>>,
    },
];

/// Whether serde_json reads a document and preserves its numbers: it converts integers beyond 64 bits to doubles, and
/// rounds some doubles with hundreds of digits differently.
fn keeps<T: Serialize + DeserializeOwned>(text: &str) -> bool {
    let (Ok(ours), Ok(theirs)) = (Json::parse(text), serde_json::from_str::<T>(text)) else {
        return false;
    };
    let written = serde_json::to_string(&theirs).unwrap_or_default();
    has_short_integers(ours.view()) && Json::parse(&written).as_ref() == Ok(&ours)
}

fn has_short_integers(json: JsonRef<'_>) -> bool {
    match json.kind() {
        Kind::Integer => json.text().parse::<i64>().is_ok() || json.text().parse::<u64>().is_ok(),
        Kind::Array => json.items().all(has_short_integers),
        Kind::Object => json.members().all(|(_, value)| has_short_integers(value)),
        _ => true,
    }
}

/// Decodes a document in one of the ways, and writes the value.
fn through<T>(way: &Way, data: &[u8]) -> Value
where
    T: Wire + Serialize + DeserializeOwned,
{
    let Some(text) = std::str::from_utf8(data)
        .ok()
        .filter(|text| (way.accepts)(text))
    else {
        return json!({"unsupported": "serde_json has no value for it, or another"});
    };
    let found = match way.name {
        "from_value" => serde_json::from_str::<Value>(text)
            .and_then(serde_json::from_value::<T>)
            .and_then(|value| both(&value)),
        "flatten" => serde_json::from_str::<Holder<T>>(text).and_then(|held| both(&held)),
        _ => serde_json::from_str::<T>(text).and_then(|value| both(&value)),
    };
    match found {
        Ok((line, value)) if serde_json::from_str::<Value>(&line).ok().as_ref() == Some(&value) => {
            json!({"ok": true, "json": line})
        }
        Ok(found) => differing("to_string and to_value give", &[&found]),
        Err(error) => {
            let own = decode_with::<T>(data, Mode::Lenient).err();
            refused(&error.to_string(), own.as_ref())
        }
    }
}

/// A value as text and as data.
fn both(value: &impl Serialize) -> serde_json::Result<(String, Value)> {
    Ok((serde_json::to_string(value)?, serde_json::to_value(value)?))
}

/// The answer for one of our errors, which serde passes on as text: `CODE at PATH: MESSAGE`.
fn refused(text: &str, own: Option<&DecodeError>) -> Value {
    if let Some(error) = own.filter(|error| text.starts_with(&error.to_string())) {
        return fault(error); // whatever its path contains
    }
    let (place, message) = text.split_once(": ").unwrap_or((text, ""));
    let (code, path) = place.split_once(" at ").unwrap_or((place, ""));
    json!({"ok": false, "code": code, "path": path, "message": message})
}

/// The lines of a stream by number, with the errors of bad lines.
type Lines = Vec<(u64, Option<BadLine>)>;

/// The items of a stream by line, and the number of lines that were skipped.
type Items<T> = (Vec<(u64, Result<T, BadLine>)>, u64);

/// A reader or decoder with the settings of a request.
macro_rules! with_settings {
    ($reader:expr, $request:ident) => {{
        let reader = $reader
            .with_mode($request.mode)
            .with_limit($request.limit.unwrap_or(64 << 20));
        match &$request.only {
            Some(kinds) => reader.only_kinds(kinds),
            None => reader,
        }
    }};
}

/// The items of a stream from the line decoder.
fn fed<T: Wire>(request: &Request, chunks: &[Vec<u8>]) -> Items<T> {
    let mut decoder = with_settings!(LineDecoder::<T>::new(), request);
    let mut found = Vec::new();
    for chunk in chunks {
        // Only the first item of a chunk is taken; the next call returns the others first.
        let mut next = decoder.feed(chunk).next();
        while let Some(item) = next {
            found.push((decoder.line(), item));
            next = decoder.feed(&[]).next();
        }
    }
    let mut next = decoder.finish().next();
    while let Some(item) = next {
        found.push((decoder.line(), item));
        next = decoder.finish().next();
    }
    (found, decoder.skipped())
}

fn bad<T>((found, skipped): Items<T>) -> (Lines, u64) {
    let bad = found.into_iter().map(|(number, item)| (number, item.err()));
    (bad.collect(), skipped)
}

/// Reads a stream in each way. If the results differ, the answer is a problem.
fn read<T>(request: &Request, chunks: &[Vec<u8>]) -> Result<(Lines, u64), Value>
where
    T: Wire + Debug + PartialEq,
{
    let found = fed::<T>(request, chunks);
    let all = chunks.concat();
    let from = BufReader::with_capacity(7, &*all);
    let mut reader = with_settings!(Reader::<_, T>::new(from), request);
    let mut read = Vec::new();
    while let Some(item) = reader.next() {
        read.push((reader.line(), plain(item)));
    }
    let read = (read, reader.skipped());
    if read != found {
        let what = "the reader and the decoder give";
        return Err(differing(what, &[&read, &found]));
    }
    let read = waited::<T>(request, &all);
    if read != found {
        let what = "the reader of tokio and the decoder give";
        return Err(differing(what, &[&read, &found]));
    }
    let written = Writer::new(Vec::new());
    let values: Vec<_> = read
        .0
        .into_iter()
        .filter_map(|(_, item)| item.ok())
        .collect();
    for value in &values {
        if written.write(value).is_err() {
            return Ok(bad(found)); // it cannot be written as JSON
        }
    }
    let again: Vec<_> = Reader::<_, T>::new(&*written.into_inner())
        .map(plain)
        .collect();
    let values: Vec<_> = values.into_iter().map(Ok).collect();
    if again != values {
        let what = "reading what is written and what was written are";
        return Err(differing(what, &[&again, &values]));
    }
    Ok(bad(found))
}

/// Answers a stream request for a type.
///
/// The lines of a type that is not a root are decoded as JSON, and then one by one as the type: decoders of lines differ
/// only by the type of their items, and one for each type would take long to compile.
fn streamed(name: &str, request: &Request, chunks: &[Vec<u8>]) -> Value {
    if !NAMES.contains(&name) {
        return decoded_as(name, &[], request.mode);
    }
    let (is_root, (found, skipped)) = match by_root(name, request, chunks) {
        Some(Ok(found)) => (true, found),
        Some(Err(problem)) => return problem,
        None if request.only.is_some() => return problem(format!("no stream of {name}")),
        None => (false, bad(fed::<Json>(request, chunks))),
    };
    let all = chunks.concat();
    let lines: Vec<&[u8]> = match &request.messages {
        Some(messages) => messages.iter().map(Vec::as_slice).collect(),
        None => all
            .split(|c| *c == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
            .collect(),
    };
    let is_of_stream = |code| match code {
        Code::TooLong => true,
        Code::InvalidJson => request.messages.is_some(), // it may be the end that is missing
        _ => false,
    };
    let items: Vec<_> = found
        .into_iter()
        .map(|(number, item)| {
            let line = lines[number as usize - 1];
            let mut answer = match item {
                Some(bad) if is_root || is_of_stream(bad.error.code) => {
                    with_raw(fault(&bad.error), &bad.raw)
                }
                _ => match decoded_as(name, line, request.mode) {
                    answer if !is_root && answer["ok"] == false => with_raw(answer, line),
                    answer => answer,
                },
            };
            answer["line"] = number.into();
            answer
        })
        .collect();
    let mut answer = json!({"ok": true, "items": items});
    if request.only.is_some() {
        answer["skipped"] = skipped.into();
    }
    answer
}

fn with_raw(mut answer: Value, raw: &[u8]) -> Value {
    answer["raw"] = base64(raw).into();
    answer
}

fn waited<T: Wire>(request: &Request, all: &[u8]) -> Items<T> {
    runtime().block_on(async {
        let from = tokio::io::BufReader::with_capacity(5, all);
        let mut reader = with_settings!(AsyncReader::<_, T>::new(from), request);
        let mut read = Vec::new();
        while let Some(item) = reader.next().await {
            read.push((reader.line(), plain(item)));
        }
        (read, reader.skipped())
    })
}

fn runtime() -> tokio::runtime::Runtime {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.expect("tokio runs")
}

fn plain<T>(item: Result<T, ReadError>) -> Result<T, BadLine> {
    item.map_err(|error| match error {
        ReadError::Line(bad) => bad,
        other => panic!("{other}"),
    })
}

// --- sessions -----------------------------------------------------------------------------------

macro_rules! sessions {
    () => {
        const HAS_SESSIONS: bool = false;

        fn session(_asked: &Value) -> Value {
            problem("the protocol has no controls".into())
        }
    };
    (receive $($part:ident)*; $($ability:ident $($how:ident)*;)*) => {
        use tested::session::{part_text, Event, PeerMessage, Notifications, Peer, Requests, Session, SessionError};

        const HAS_SESSIONS: bool = true;

        /// Runs a script.
        fn session(asked: &Value) -> Value {
            let mut peers = Peer::ALL.iter().filter(|peer| asked["peer"] == peer.as_str());
            let mut session = Session::new(*peers.next().expect("a peer of the protocol"))
                .refuse_unknown(asked["refuse_unknown"] != false);
            let steps = asked["steps"].as_array().expect("a script has steps");
            let results: Vec<_> = steps
                .iter()
                .map(|asked| match step(&mut session, asked) {
                    Ok(result) => result,
                    Err(code) => json!({"error": code}),
                })
                .collect();
            json!({"ok": true, "steps": results})
        }

        /// The result of a step, or the code of an error.
        fn step(session: &mut Session, asked: &Value) -> Result<Value, &'static str> {
            if let Some(payload) = asked.get("request") {
                let payload: Requests = payload_of(payload)?;
                return match asked.get("id") {
                    None => {
                        let (id, line) = session.request(payload).map_err(code_of)?;
                        Ok(json!({"id": value(part_text(&id)), "sent": line}))
                    }
                    Some(id) => {
                        let id = Session::parse_id(&id.to_string()).ok_or("wrong_type")?;
                        let line = session.request_with_id(id.clone(), payload).map_err(code_of)?;
                        Ok(json!({"id": value(part_text(&id)), "sent": line}))
                    }
                };
            }
            if let Some(line) = asked.get("receive") {
                let message: PeerMessage = payload_of(line)?;
                return Ok(told(session.receive(message)));
            }
            if let Some(id) = asked.get("reply") {
                let result = asked["result"].as_str().map(|text| Json::parse(text).expect("JSON"));
                let id = Session::parse_id(&id.to_string()).ok_or("not_open")?;
                return sent(session.reply_json(&id, result.as_ref()));
            }
            $(sessions!(@ $ability session asked $($how)*);)*
            if asked.get("announced").is_some() {
                return Ok(json!({"announced": session.announced()}));
            }
            Ok(json!({
                "pending": session.pending().map(|each| value(part_text(each.id()))).collect::<Value>(),
                "unanswered": session.unanswered().map(|each| value(part_text(each.id()))).collect::<Value>(),
            }))
        }

        fn told(event: Event) -> Value {
            match event {
                Event::Message(message) => json!({"event": "message", "message": text(&message)}),
                Event::Notification(payload) => notified(&payload),
                Event::Request(request) => json!({
                    "event": "request",
                    "id": value(part_text(request.id())),
                    "payload": text(request.payload()),
                }),
                Event::UnknownRequest { request, line, .. } => with("sent", line, json!({
                    "event": "unknown_request",
                    "id": value(part_text(request.id())),
                    "payload": text(request.payload()),
                })),
                Event::Answer(answer) => with("result", answer.json().map(|json| json.to_string()), json!({
                    "event": "answer",
                    "id": value(part_text(answer.request().id())),
                    "request": text(answer.request().payload()),
                })),
                Event::Failure { request, message, code, data, .. } => {
                    let mut told = json!({"event": "failure", "message": message});
                    if let Some(request) = request {
                        told["id"] = value(part_text(request.id()));
                        told["request"] = text(request.payload()).into();
                    }
                    let _ = (&code, &data);
                    $(sessions!(@ part $part told code data);)*
                    told
                }
                Event::InvalidAnswer { request, error, .. } => json!({
                    "event": "invalid_answer",
                    "id": value(part_text(request.id())),
                    "request": text(request.payload()),
                    "code": error.code.as_str(),
                    "path": error.path,
                }),
                Event::Cancellation(request) => json!({
                    "event": "cancellation",
                    "id": value(part_text(request.id())),
                    "payload": text(request.payload()),
                }),
                Event::Stray { id, reason, message, .. } => json!({
                    "event": "stray",
                    "id": id.as_ref().map(|id| value(part_text(id))),
                    "reason": reason.as_str(),
                    "message": text(&message),
                }),
                other => differing("no test knows", &[&other]),
            }
        }

        sessions!(@ notified $($ability)*);

        fn sent(line: Result<String, SessionError>) -> Result<Value, &'static str> {
            line.map(|line| json!({"sent": line})).map_err(code_of)
        }

        fn code_of(error: SessionError) -> &'static str {
            error.as_str()
        }
    };
    (@ notified notify $($rest:ident)*) => {
        fn notified(payload: &Notifications) -> Value {
            json!({"event": "notification", "payload": text(payload)})
        }
    };
    (@ notified $other:ident $($rest:ident)*) => { sessions!(@ notified $($rest)*); };
    (@ notified) => {
        fn notified(payload: &Notifications) -> Value {
            match *payload {}
        }
    };
    (@ part code $told:ident $code:ident $data:ident) => {
        if let Some(code) = $code {
            $told["code"] = value(part_text(&code));
        }
    };
    (@ part data $told:ident $code:ident $data:ident) => {
        if let Some(data) = $data {
            $told["data"] = data.to_json().to_string().into();
        }
    };
    (@ notify $session:ident $asked:ident) => {
        if let Some(payload) = $asked.get("notify") {
            let payload: Notifications = payload_of(payload)?;
            return sent($session.notify(payload));
        }
    };
    (@ cancel $session:ident $asked:ident) => {
        if let Some(id) = $asked.get("cancel") {
            let id = Session::parse_id(&id.to_string()).ok_or("not_pending")?;
            return sent($session.cancel(&id));
        }
    };
    (@ refuse $session:ident $asked:ident text) => {
        if let Some(id) = $asked.get("refuse") {
            let id = Session::parse_id(&id.to_string()).ok_or("not_open")?;
            return sent($session.refuse(&id, $asked["message"].as_str().expect("a text")));
        }
    };
    (@ refuse $session:ident $asked:ident refusal $($part:ident)*) => {
        if let Some(id) = $asked.get("refuse") {
            let id = Session::parse_id(&id.to_string()).ok_or("not_open")?;
            let refusal = tested::Refusal::new($asked["message"].as_str().expect("a text"));
            $(let refusal = sessions!(@ refusal $part refusal $asked);)*
            return sent($session.refuse(&id, refusal));
        }
    };
    (@ refusal code $refusal:ident $asked:ident) => {
        match $asked.get("code") {
            Some(code) => $refusal.code(Session::parse_code(&code.to_string()).ok_or("wrong_type")?),
            None => $refusal,
        }
    };
    (@ refusal data $refusal:ident $asked:ident) => {
        match $asked["data"].as_str() {
            Some(data) => $refusal
                .data(&Json::parse(data).expect("JSON"))
                .map_err(|error| error.code.as_str())?,
            None => $refusal,
        }
    };
}

tested::with_sessions!(sessions);

/// Decodes a value that a step has as JSON text.
fn payload_of<T: Wire>(text: &Value) -> Result<T, &'static str> {
    let text = text.as_str().expect("JSON text");
    decode_with(text, Mode::Lenient).map_err(|error| error.code.as_str())
}

fn text<T: Wire>(value: &T) -> String {
    encode(value).expect("what was decoded is written")
}

/// The text of an id or a code as JSON.
fn value(text: String) -> Value {
    serde_json::from_str(&text).expect("it is JSON")
}

/// Adds a member to a result, if it has a value.
fn with(key: &str, member: Option<String>, mut result: Value) -> Value {
    if let Some(member) = member {
        result[key] = member.into();
    }
    result
}

// --- launches -----------------------------------------------------------------------------------

macro_rules! launches {
    () => {
        fn launched(_asked: &Value) -> Value {
            problem("no options start a process".into())
        }
    };
    ($($name:literal => $type:ident,)*) => {
        /// Answers how a process is started with options.
        fn launched(asked: &Value) -> Value {
            match asked["type"].as_str().unwrap_or_default() {
                $($name => started::<tested::every_type::$type>(asked),)*
                name => problem(format!("no process is started with {name}")),
            }
        }

        fn started<O: tested::launch::Options>(asked: &Value) -> Value {
            use tested::launch::{launch_with, Functions, LaunchError};

            let text = asked["json"].as_str().expect("options are JSON text");
            let options: O = match decode_with(text, Mode::Lenient) {
                Ok(options) => options,
                Err(error) => {
                    return json!({"ok": false, "code": error.code.as_str(), "paths": [error.path]});
                }
            };
            let mut functions = Functions::new();
            for (place, count) in asked["functions"].as_object().into_iter().flatten() {
                let count = count.as_u64().expect("a count").max(1);
                functions = functions.put_at(place, usize::try_from(count).expect("a small count"));
            }
            let release = match asked["release"].as_str() {
                Some(name) => name.parse(),
                None => Ok(tested::launch::Release::NEWEST),
            };
            let made = release.and_then(|release| launch_with(&options, functions, release));
            let refused = |error: LaunchError| {
                let paths: Vec<_> = error.paths().collect();
                json!({"ok": false, "code": error.as_str(), "paths": paths})
            };
            made.map_or_else(refused, |made| json!({"ok": true, "json": shown(&made)}))
        }

        /// A launch as JSON text; its requests may contain lone surrogates.
        fn shown(made: &tested::launch::Launch) -> String {
            let functions = made.functions.iter();
            let functions: serde_json::Map<_, _> = functions
                .map(|each| {
                    let parts = [
                        ("control", each.control.clone()),
                        ("id", each.id.clone()),
                        ("receives", each.receives.clone()),
                    ];
                    let mut shown = parts
                        .into_iter()
                        .fold(json!({}), |shown, (name, part)| with(name, part, shown));
                    if each.live {
                        shown["live"] = true.into();
                    }
                    (each.place.clone(), shown)
                })
                .collect();
            let environment = json!({
                "inherit": made.environment.inherit,
                "set": made.environment.set,
                "defaults": made.environment.defaults,
                "unset": made.environment.unset,
            });
            let mut shown = json!({
                "arguments": made.arguments,
                "environment": environment,
                "program_arguments": made.program_arguments,
                "functions": functions,
            });
            let parts = [("cwd", &made.cwd), ("program", &made.program), ("script", &made.script)];
            for (name, part) in parts {
                if let Some(part) = part {
                    shown[name] = part.as_str().into();
                }
            }
            let mut text = shown.to_string();
            text.truncate(text.len() - 1);
            text.push_str(",\"requests\":{");
            for (at, (control, payload)) in made.requests.iter().enumerate() {
                let comma = if at > 0 { "," } else { "" };
                text += &format!("{comma}{}:{payload}", json!(control));
            }
            text + "}}"
        }
    };
}

tested::with_launches!(launches);

// --- trees --------------------------------------------------------------------------------------

macro_rules! trees {
    () => {
        const HAS_TREES: bool = false;

        fn grown(_asked: &Value) -> Value {
            problem("the protocol has no trees".into())
        }
    };
    ($($name:literal => $tree:ident $lines:ident,)+) => {
        use tested::{TreeEntry, TreeId};

        const HAS_TREES: bool = true;

        /// An entry: a decoded line or plain JSON.
        enum Grown<T> {
            Line(T),
            Json(Json),
        }

        /// An entry with its number.
        struct Numbered<T>(usize, Grown<T>);

        impl<T: Wire> TreeEntry for Numbered<T> {
            fn tree_json(&self) -> Option<Json> {
                match &self.1 {
                    Grown::Line(line) => line.tree_json(),
                    Grown::Json(json) => json.tree_json(),
                }
            }
        }

        fn entry<T: Wire>(number: usize, asked: &Value) -> Numbered<T> {
            let text = |key: &str| asked[key].as_str();
            Numbered(number, match (text("line"), text("json")) {
                (Some(line), _) => Grown::Line(decode_with(line, Mode::Lenient).expect("a line")),
                (None, json) => Grown::Json(Json::parse(json.expect("JSON text")).expect("JSON")),
            })
        }

        fn id(asked: &Value) -> TreeId {
            match asked.as_str() {
                Some(text) => text.into(),
                None => asked.as_i64().expect("an id").into(),
            }
        }

        fn numbers<T>(entries: Vec<&Numbered<T>>) -> Value {
            entries.into_iter().map(|each| each.0).collect()
        }

        /// What a tree has after each entry, which is reported as its number.
        fn grown(asked: &Value) -> Value {
            let list = |key: &str| asked[key].as_array().expect("a list");
            let ids: Vec<_> = list("ids").iter().map(id).collect();
            let mut steps = Vec::new();
            match asked["tree"].as_str() {
                $(Some($name) => {
                    let mut tree = tested::$tree::new();
                    for (number, each) in list("entries").iter().enumerate() {
                        let entry = entry::<tested::every_type::$lines>(number, each);
                        let added = tree.add(entry);
                        let ids = || ids.iter().cloned();
                        steps.push(json!({
                            "added": added,
                            "path": numbers(tree.path()),
                            "history": numbers(tree.history()),
                            "leaves": numbers(tree.leaves()),
                            "roots": numbers(tree.roots()),
                            "children": ids().map(|id| numbers(tree.children(id))).collect::<Value>(),
                            "paths": ids().map(|id| numbers(tree.path_to(id))).collect::<Value>(),
                            "histories": ids().map(|id| numbers(tree.history_to(id))).collect::<Value>(),
                        }));
                    }
                })+
                other => return problem(format!("no tree {other:?}")),
            }
            json!({"ok": true, "steps": steps})
        }
    };
}

tested::with_trees!(trees);

macro_rules! by_name {
    (
        $($name:literal => $type:ident,)* ;
        $($other:literal => $alias:ident,)*
    ) => {
        const NAMES: &[&str] = &[$($name,)* $($other,)*];

        /// The answer for a document of a type.
        fn decoded_as(name: &str, data: &[u8], mode: Mode) -> Value {
            match name {
                $($name => decoded::<tested::every_type::$type>(data, mode),)*
                $($other => named(tested::examine_named::<tested::every_type::$alias>($other, data, mode)),)*
                _ => problem(format!("no type {name}")),
            }
        }

        /// The answer for a document of a type that is decoded through serde.
        fn through_as(name: &str, way: &Way, data: &[u8]) -> Value {
            match name {
                $(#[cfg(feature = "serde-ways")]
                $name => through::<tested::every_type::$type>(way, data),)*
                _ => problem(format!("no type {name}")),
            }
        }

        const DECLARED: &[&str] = &[$($name,)*];
    };
}

macro_rules! by_root {
    ($($name:literal => $type:ident,)*) => {
        /// The lines of a stream, read in every way. Only for the types of streams, as it is compiled for each type.
        fn by_root(name: &str, request: &Request, chunks: &[Vec<u8>]) -> Option<Result<(Lines, u64), Value>> {
            match name {
                $($name => Some(read::<tested::every_type::$type>(request, chunks)),)*
                _ => None,
            }
        }
    };
}

macro_rules! kinds {
    ($($name:literal => $type:ident,)*) => {
        /// What a name stands for in a stream that is limited to some types.
        fn kind(name: &str) -> WantedKind {
            match name {
                $($name => <tested::every_type::$type as Wanted>::KIND,)*
                _ => WantedKind::named(name).expect("a struct, a union or an Unknown"),
            }
        }
    };
}

tested::with_types!(by_name);
tested::with_unknowns!(kinds);
tested::with_roots!(by_root);

/// The answer for an alias, which may have bounds of its own.
fn named(found: Result<(String, &'static str, Vec<String>), DecodeError>) -> Value {
    match found {
        Ok((line, variant, unknown)) => accepted(variant, line, unknown),
        Err(error) => fault(&error),
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(data: &[u8]) -> String {
    let mut text = String::new();
    for group in data.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| {
            bits << 8 | u32::from(*group.get(at).unwrap_or(&0))
        });
        for at in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= group.len() { digit.into() } else { '=' });
        }
    }
    text
}

fn unbase64(text: &str) -> Vec<u8> {
    let mut data = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for c in text.bytes().filter(|c| *c != b'=') {
        let digit = DIGITS.iter().position(|each| *each == c).expect("base64");
        bits = bits << 6 | digit as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            data.push((bits >> count) as u8);
        }
    }
    data
}

fn answer(name: &str, request: &Request, way: Option<&Way>) -> Value {
    match (way, &request.chunks) {
        (Some(way), _) => through_as(name, way, &request.data),
        (None, Some(chunks)) => streamed(name, request, chunks),
        (None, None) => decoded_as(name, &request.data, request.mode),
    }
}

fn describe(way: Option<&Way>) -> Value {
    let mut claims = json!({
        "language": "rust",
        "version": env!("CARGO_PKG_RUST_VERSION"),
        "spec": tested::SPEC_HASH,
        "types": NAMES,
        "ops": ["decode", "filter", "stream"],
        "limits": ["surrogates"],
    });
    let ops = claims["ops"].as_array_mut().expect("a list");
    ops.extend(HAS_SESSIONS.then(|| "session".into()));
    ops.extend(HAS_TREES.then(|| "tree".into()));
    if let Some(way) = way {
        // serde_json parses the text, and converts long integers to doubles.
        claims["types"] = DECLARED.into();
        claims["limits"] = json!(["integers", "surrogates"]);
        claims["modes"] = json!(["lenient"]);
        claims["ops"] = json!(["decode"]);
        claims["answers"] = json!(["ok", "json", "code", "path"]);
        claims["reads"] = "values".into();
        if way.sorts {
            claims["maps"] = "sorted".into();
        }
    }
    claims
}

fn request(asked: &Value) -> Request {
    let text = |each: &Value| unbase64(each.as_str().expect("chunks and messages are texts"));
    let texts = |key: &str| Some(asked[key].as_array()?.iter().map(text).collect());
    Request {
        mode: match asked["mode"].as_str() {
            Some("strict") => Mode::Strict,
            _ => Mode::Lenient,
        },
        data: match (asked["json"].as_str(), asked["bytes"].as_str()) {
            (Some(json), _) => json.into(),
            (None, bytes) => unbase64(bytes.unwrap_or_default()),
        },
        chunks: texts("chunks"),
        messages: texts("messages"),
        limit: asked["limit"].as_u64().map(|limit| limit as usize),
        only: asked["only"].as_array().map(|names| {
            let names = names.iter().filter_map(Value::as_str);
            names.map(kind).collect()
        }),
    }
}

/// Answers the requests on standard input, in the named way.
pub fn run(way: Option<String>) -> io::Result<()> {
    let way = way.map(|name| {
        let mut ways = WAYS.iter();
        ways.find(|way| way.name == name)
            .expect("the name of a way")
    });
    let mut input = BufReader::new(io::stdin().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let asked: Value = serde_json::from_slice(&line)?;
        let mut reply = match asked["op"].as_str() {
            Some("describe") => describe(way),
            Some("session") => session(&asked),
            Some("tree") => grown(&asked),
            Some("launch") => launched(&asked),
            _ => answer(
                asked["type"].as_str().unwrap_or_default(),
                &request(&asked),
                way,
            ),
        };
        reply["id"] = asked["id"].clone();
        writeln!(io::stdout(), "{reply}")?;
        line.clear();
    }
    Ok(())
}

pub fn main() -> io::Result<()> {
    run(std::env::args().nth(1))
}
