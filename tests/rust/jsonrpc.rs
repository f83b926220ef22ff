//! Tests of the crate of `tests/specs/jsonrpc`, written as a user would.

use shelf::protocol::*;
use shelf::session::{Event, Peer, Request, Session, SessionError};
use shelf::*;

/// Asserts that a value encodes to a text.
fn written<T: Wire>(value: &T, text: &str) {
    assert_eq!(encode(value).unwrap(), text);
}

/// Encodes a value and decodes it as the other side would.
fn travelled<T: Wire>(value: &T) -> Line {
    decode(encode(value).unwrap()).unwrap()
}

fn find_call() -> FindCall {
    FindCall::new(FindParams::new("x"))
}

fn find() -> RpcRequest {
    wrap_request("a", find_call())
}

fn sort_call() -> SortCall {
    SortCall::new(SortParams::new(SortKey::Title))
}

fn sort() -> RpcRequest {
    wrap_request(7, sort_call())
}

/// Encodes and decodes a response, and returns the parts of its error.
fn raised<R: Control>(response: &RpcError) -> (String, Option<i64>, Option<ErrorData>)
where
    R::Answer: std::fmt::Debug,
{
    match decode_response::<R>(&travelled(response)) {
        Err(ControlError::Refused {
            message,
            code,
            data,
            response: whole,
            ..
        }) => {
            assert_eq!(whole.text(), encode(response).unwrap());
            (message, code, data)
        }
        other => panic!("it is an error, not {other:?}"),
    }
}

#[test]
fn ids_are_counted_and_may_be_texts() {
    let (first, second) = (new_request_id(), new_request_id());
    let (RequestId::Number(first), RequestId::Number(second)) = (first, second) else {
        panic!("they are numbers")
    };
    assert!(first < second);
    assert_eq!(find().id, RequestId::from("a"));
    let answer = find()
        .reply(&find_call(), PlaceOrPlaceListOrNull::Null)
        .unwrap();
    assert_eq!(answer.id, TextOrInteger::from("a"));
    written(
        &wrap_request(new_request_id(), PingCall::new())
            .refuse("no")
            .id
            .map(|_| true),
        "true",
    );
}

#[test]
fn a_list_a_number_null_and_an_object_are_results() {
    let place = Place::new(1, 2.5);
    let results = [
        (PlaceOrPlaceListOrNull::Null, "null"),
        (place.clone().into(), r#"{"shelf":1,"from":2.5}"#),
        (vec![place].into(), r#"[{"shelf":1,"from":2.5}]"#),
    ];
    for (result, text) in results {
        let answer = find().reply(&find_call(), result.clone()).unwrap();
        written(
            &answer,
            &format!(r#"{{"jsonrpc":"2.0","id":"a","result":{text}}}"#),
        );
        let read = decode_response::<FindCall>(&travelled(&answer));
        assert_eq!(read, Ok(result));
    }
    let count = wrap_request(1, CountCall::new());
    let answer = count.reply(&CountCall::new(), 3).unwrap();
    written(&answer, r#"{"jsonrpc":"2.0","id":1,"result":3}"#);
    assert_eq!(decode_response::<CountCall>(&answer), Ok(3));
    let ask = AskCall::new(Book::new("x"));
    let answer = wrap_request(2, ask.clone()).reply(&ask, true).unwrap();
    written(&answer, r#"{"jsonrpc":"2.0","id":2,"result":true}"#);
    assert_eq!(decode_response::<AskCall>(&answer), Ok(true));
    let state = Json::parse(r#"[1,"x",null]"#).unwrap();
    let answer = wrap_response::<StateCall>(3, &state).unwrap();
    assert_eq!(decode_response::<StateCall>(&answer), Ok(state));
    let listed = wrap_request(2, ListCall::new());
    let answer = listed.reply(&ListCall::new(), vec![]).unwrap();
    written(&answer, r#"{"jsonrpc":"2.0","id":2,"result":[]}"#);
    assert_eq!(decode_response::<ListCall>(&answer), Ok(vec![]));
    let place = Place::new(1, f64::NAN);
    let error = find().reply(&find_call(), place).unwrap_err();
    assert_eq!((error.code, &*error.path), (Code::OutOfRange, "/from"));
}

#[test]
fn an_answer_that_does_not_fit_is_an_error() {
    let bad: RpcResponse = decode(r#"{"jsonrpc":"2.0","id":2,"result":[{}]}"#).unwrap();
    let Err(ControlError::Decode(fault)) = decode_response::<ListCall>(&bad) else {
        panic!("a book has a title")
    };
    assert_eq!(
        (fault.code, &*fault.path),
        (Code::MissingField, "/result/0/title")
    );
    let null: RpcResponse = decode(r#"{"jsonrpc":"2.0","id":2,"result":null}"#).unwrap();
    let Err(ControlError::Decode(fault)) = decode_response::<CountCall>(&null) else {
        panic!("null is no number")
    };
    assert_eq!((fault.code, &*fault.path), (Code::WrongType, "/result"));
    let error = decode_response::<CountCall>(&travelled(&find())).unwrap_err();
    assert_eq!(error, ControlError::Missing);
}

#[test]
fn no_result_null_and_a_value_are_three_things() {
    let results = [
        (Presence::Absent, "{}"),
        (Presence::Null, "null"),
        (Presence::Present(SortKey::Title), r#""title""#),
    ];
    for (result, text) in results {
        let answer = sort().reply(&sort_call(), result.clone()).unwrap();
        written(
            &answer,
            &format!(r#"{{"jsonrpc":"2.0","id":7,"result":{text}}}"#),
        );
        assert_eq!(decode_response::<SortCall>(&travelled(&answer)), Ok(result));
    }
    let ping = wrap_request(1, PingCall::new());
    let answer = ping.reply(&PingCall::new(), ()).unwrap();
    written(&answer, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_eq!(decode_response::<PingCall>(&answer), Ok(()));
}

#[test]
fn an_error_has_its_code_and_typed_data() {
    let busy = raised::<FindCall>(&find().refuse("busy"));
    assert_eq!(busy, ("busy".into(), Some(-32603), None));
    let missing = MissingBook::new("x").with_near(["y"]);
    let refusal = || Refusal::new("gone").code(-32002);
    let gone = find().refuse(refusal().data(&missing).unwrap());
    assert_eq!(
        raised::<FindCall>(&gone),
        (
            "gone".into(),
            Some(-32002),
            Some(ErrorData::MissingBook(missing.clone().into()))
        )
    );
    let locked = LockedShelf::new("2025-01-01T00:00:00Z");
    let refused = sort().refuse(Refusal::new("locked").data(&locked).unwrap());
    let typed = Some(ErrorData::LockedShelf(locked.into()));
    assert_eq!(raised::<SortCall>(&refused).2, typed);
    let list = Json::parse("[1]").unwrap();
    let untyped = Some(ErrorData::Untyped(list.clone()));
    let refused = find().refuse(refusal().data(&list).unwrap());
    assert_eq!(raised::<FindCall>(&refused).2, untyped);
    let refused = sort().refuse(refusal().data(&missing).unwrap());
    assert!(
        matches!(raised::<SortCall>(&refused).2, Some(ErrorData::Untyped(_))),
        "a request's own type of data goes before those by code"
    );
    written(
        &find().refuse(Refusal::new("gone").data(&Json::NULL).unwrap()),
        r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"gone","data":null}}"#,
    );
    let nan = Place::new(1, f64::NAN);
    assert!(Refusal::new("gone").data(&nan).is_err());
}

#[test]
fn an_error_without_an_id_answers_no_request() {
    let line = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}"#;
    let Line::RpcError(error) = decode(line).unwrap() else {
        panic!("it is an error")
    };
    assert_eq!(error.id, None);
}

#[test]
fn a_request_that_is_not_declared_is_refused_as_unknown() {
    let line = r#"{"jsonrpc":"2.0","id":3,"method":"x/y","params":[1]}"#;
    let Line::RpcRequest(came) = decode(line).unwrap() else {
        panic!("it is a request")
    };
    written(
        &came.refuse("no such method"),
        r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no such method"}}"#,
    );
    let error = came.reply(&PingCall::new(), ()).unwrap_err();
    assert_eq!(error.code, Code::WrongType);
}

#[test]
fn notifications_and_cancellations_have_their_envelope() {
    written(
        &notify(ClosedNotice::new()),
        r#"{"jsonrpc":"2.0","method":"notifications/closed"}"#,
    );
    let cancelled = sort().cancel();
    written(
        &cancelled,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
    );
    assert_eq!(travelled(&cancelled), Line::from(cancelled.clone()));
    assert_eq!(wrap_cancel(7), cancelled);
}

/// A session with a request from the peer.
fn asked(line: &str) -> (Session, Request) {
    let mut session = Session::new(Peer::Server);
    match session.receive::<Line>(decode(line).unwrap()) {
        Event::Request(request) => (session, request),
        other => panic!("it is a request, not {other:?}"),
    }
}

#[test]
fn both_sides_of_a_session_understand_each_other() {
    let (mut client, mut server) = (Session::new(Peer::Client), Session::new(Peer::Server));
    let (id, line) = client.request(find_call()).unwrap();
    assert_eq!(id, RequestId::Number(1));
    let Event::Request(request) = server.receive::<Line>(decode(line).unwrap()) else {
        panic!("it is a request")
    };
    let Calls::FindCall(call) = request.payload() else {
        panic!("it was {:?}", request.payload())
    };
    let place = Place::new(1, 2.5);
    let line = server.reply(request.id(), call, place.clone()).unwrap();
    let Event::Answer(answer) = client.receive::<Line>(decode(line).unwrap()) else {
        panic!("it is an answer")
    };
    assert_eq!(answer.request().id(), &id);
    assert_eq!(answer.result::<FindCall>(), Some(place.into()));
    assert_eq!(answer.result::<SortCall>(), None);
    assert_eq!(client.pending().count() + server.unanswered().count(), 0);
}

#[test]
fn what_a_session_refuses_has_its_code_and_data() {
    let (mut session, request) = asked(r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#);
    let refusal = Refusal::new("gone").code(-32002).data(&Json::NULL).unwrap();
    assert_eq!(
        session.refuse(request.id(), refusal).unwrap(),
        r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32002,"message":"gone","data":null}}"#
    );
    let again = session.refuse(request.id(), "no").unwrap_err();
    assert_eq!((again.as_str(), again), ("not_open", SessionError::NotOpen));
}

#[test]
fn what_a_session_says_unasked_has_its_envelope() {
    let mut client = Session::new(Peer::Client);
    let (id, _) = client.request(PingCall::new()).unwrap();
    assert_eq!(
        client.cancel(&id).unwrap(),
        encode(&wrap_cancel(1)).unwrap()
    );
    let wrong = client.notify(ClosedNotice::new()).unwrap_err();
    assert_eq!(wrong, SessionError::WrongDirection);
    let server = Session::new(Peer::Server);
    let line = server.notify(ClosedNotice::new()).unwrap();
    assert_eq!(line, encode(&notify(ClosedNotice::new())).unwrap());
}

#[test]
fn a_tag_may_stand_in_place_of_a_field_of_a_mixin() {
    let book: Book = decode(r#"{"title":"x","mark":{"kind":"slip","text":"y"}}"#).unwrap();
    assert_eq!(book.mark, Some(Mark::from(Slip::new("y"))));
}
