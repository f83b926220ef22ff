//! Sessions: requests and answers of one side.

use crate::controls::Refusal;
use crate::sample::{
    Asked, Circle, ErrorData, Fault, Framed, Label, Line, Pitch, PlainGift, Reply, Ring, Shape,
    Square, Stop, Talk, Told, Tone, WrappedGift,
};
use crate::session::{Event, Id, Key, Peer, Session, SessionError, Stray};
use crate::{decode, encode, Code, Json, Object, Presence};

fn tone() -> Tone {
    Tone {
        kind: true,
        pitch: Pitch::High,
        extra: Object::new(),
    }
}

fn fault() -> Fault {
    Fault {
        kind: "fault_lost".into(),
        why: None,
        extra: Object::new(),
    }
}

fn framed() -> Framed {
    Framed {
        from: "x".into(),
        shape: Shape::Circle(circle()),
        extra: Object::new(),
    }
}

fn circle() -> Circle {
    Circle {
        radius: 2.0,
        extra: Object::new(),
    }
}

fn square() -> Square {
    Square {
        side: 1.0,
        extra: Object::new(),
    }
}

fn number(number: i64) -> Id {
    Label::Number(number)
}

fn asked(id: Id, ask: impl Into<Line>) -> Talk {
    Talk::Asked(Box::new(Asked {
        id,
        ask: ask.into(),
        extra: Object::new(),
    }))
}

fn answer(id: Id, note: &str) -> Talk {
    reply(Some(id), 1, Some(note), None)
}

fn failure(id: Option<Id>, note: &str) -> Talk {
    reply(id, 0, Some(note), Some(framed().into()))
}

fn reply(id: Option<Id>, floor: i64, note: Option<&str>, told: Option<Line>) -> Talk {
    Talk::Reply(Box::new(Reply {
        floor,
        id,
        note: note.map_or(Presence::Absent, |note| {
            Presence::Present(Json::parse(note).unwrap())
        }),
        label: Some(number(7)),
        told,
        extra: Object::new(),
    }))
}

fn stop(id: Id) -> Talk {
    Talk::Stop(Stop {
        id,
        extra: Object::new(),
    })
}

fn sky() -> Session {
    Session::new(Peer::Sky)
}

/// The ids of pending and of unanswered requests.
fn open(session: &Session) -> (Vec<Id>, Vec<Id>) {
    (
        session.pending().map(|each| each.id().clone()).collect(),
        session.unanswered().map(|each| each.id().clone()).collect(),
    )
}

/// The reason why a message is stray, and the id.
fn stray(event: Event) -> (Stray, Option<Id>) {
    match event {
        Event::Stray { id, reason, .. } => (reason, id),
        other => panic!("it is stray, not {other:?}"),
    }
}

#[test]
fn sessions_go_to_other_threads() {
    fn both<T: Send + Sync>() {}
    both::<Session>();
    both::<Event>();
}

#[test]
fn peers_have_the_names_of_the_spec() {
    let names: Vec<_> = Peer::ALL.iter().map(|peer| peer.as_str()).collect();
    assert_eq!(names, ["sky", "earth"]);
    assert_eq!(sky().peer(), Peer::Sky);
}

#[test]
fn ids_are_the_same_if_their_kind_and_value_are() {
    let same = |one: &str, other: &str| {
        let id = |text: &str| Key::of(&decode::<Json>(text).unwrap());
        id(one) == id(other)
    };
    assert!(same("1", "1.0") && same("0", "-0.0") && same("1e2", "100"));
    let text = decode::<String>(r#""\u0061""#).unwrap();
    assert_eq!(Key::of(&text), Key::of(&"a".to_string()));
    assert!(!same("1", r#""1""#) && !same("1", "2") && !same(r#""NaN""#, r#""nan""#));
    assert!(Key::maybe(Some(&Json::NULL)).is_none() && Key::maybe::<Json>(None).is_none());
}

#[test]
fn an_answer_has_the_type_of_its_request() {
    let mut session = sky();
    let (id, line) = session.request(tone()).unwrap();
    assert_eq!(
        (id.clone(), &*line),
        (
            number(1),
            r#"{"id":1,"ask":{"kind":"tone","pitch":"high"}}"#
        )
    );
    assert_eq!(open(&session), (vec![number(1)], vec![]));
    let Event::Answer(found) = session.receive(answer(id, r#"{"pitch":"low"}"#)) else {
        panic!("it is an answer")
    };
    assert_eq!(found.request().payload(), &tone().into());
    assert_eq!(found.result::<Tone>().unwrap().pitch, Pitch::Low);
    assert_eq!(found.result::<Ring>(), None);
    assert_eq!(found.json().unwrap().text(), r#"{"pitch":"low"}"#);
    assert_eq!(open(&session), (vec![], vec![]));
}

#[test]
fn an_answer_may_have_no_result() {
    let mut session = sky();
    let (id, _) = session.request(fault()).unwrap();
    let Event::Answer(found) = session.receive(answer(id, "{}")) else {
        panic!("it is an answer")
    };
    assert_eq!(found.json(), None);
    assert_eq!(found.result::<Fault>(), Some(None));
}

#[test]
fn an_answer_of_another_type_is_invalid() {
    let mut session = sky();
    let (id, _) = session.request(tone()).unwrap();
    let Event::InvalidAnswer { request, error, .. } = session.receive(answer(id.clone(), "{}"))
    else {
        panic!("a tone has a pitch")
    };
    assert_eq!((request.id(), &*error.path), (&id, "/pitch"));
    let again = session.receive(answer(id, "{}"));
    assert_eq!(stray(again), (Stray::Repeated, Some(number(1))));
}

#[test]
fn an_answer_that_has_to_be_there_is_missing() {
    let mut session = sky();
    let (id, _) = session.request(tone()).unwrap();
    let missing = reply(Some(id), 1, None, None);
    let Event::InvalidAnswer { error, .. } = session.receive(missing) else {
        panic!("there is no tone")
    };
    assert_eq!((error.code, &*error.path), (Code::MissingField, ""));
}

#[test]
fn a_failure_has_the_data_of_its_request_or_code() {
    let mut session = sky();
    let (one, _) = session.request(fault()).unwrap();
    let (two, _) = session.request(tone()).unwrap();
    let mut data = |id, note| match session.receive(failure(id, note)) {
        Event::Failure {
            request,
            message,
            code,
            data,
            ..
        } => {
            assert_eq!((&*message, code), ("x", Some(number(7))));
            (request.map(|request| request.id().clone()), data.unwrap())
        }
        other => panic!("it is a failure, not {other:?}"),
    };
    let own = data(Some(one.clone()), r#"{"pitch":"high"}"#);
    assert_eq!(
        own,
        (
            Some(one),
            ErrorData::Tone(Tone {
                kind: false,
                ..tone()
            })
        )
    );
    assert_eq!(own.1.to_json().text(), r#"{"pitch":"high"}"#);
    let coded = data(Some(two.clone()), r#""low""#);
    assert_eq!(coded, (Some(two), ErrorData::Pitch(Pitch::Low)));
    let of_none = data(None, "1");
    assert_eq!(of_none, (None, ErrorData::Untyped(Json::from(1))));
    assert_eq!(of_none.1.to_json(), Json::from(1));
}

#[test]
fn ids_are_drawn_past_those_that_are_pending() {
    let mut session = sky();
    let line = session.request_with_id(number(1), tone());
    assert!(line.unwrap().starts_with(r#"{"id":1,"#));
    let again = session.request_with_id(Label::Number(1), tone());
    assert_eq!(again, Err(SessionError::IdInUse));
    assert_eq!(session.request(tone()).unwrap().0, number(2));
    let mut nan = circle();
    nan.radius = f64::NAN;
    let unfit = Shape::Circle(nan);
    let unfit = Framed {
        shape: unfit,
        ..framed()
    };
    let mut earth = Session::new(Peer::Earth);
    assert!(matches!(earth.request(unfit), Err(SessionError::Encode(_))));
    assert_eq!(earth.request(framed()).unwrap().0, number(1));
}

#[test]
fn only_one_side_sends_some_controls() {
    let (mut sky, mut earth) = (sky(), Session::new(Peer::Earth));
    let wrong = Err(SessionError::WrongDirection);
    assert_eq!(sky.request(framed()).map(|_| ()), wrong);
    assert!(sky
        .request(PlainGift {
            wrapped: None,
            extra: Object::new()
        })
        .is_ok());
    assert_eq!(earth.request(fault()).map(|_| ()), wrong);
    let unknown: Line = decode(r#"{"kind":"other"}"#).unwrap();
    assert_eq!(earth.request(unknown).map(|_| ()), wrong);
    assert_eq!(sky.notify(circle()).map(|_| ()), wrong);
    assert_eq!(earth.notify(square()).map(|_| ()), wrong);
    assert_eq!(earth.notify(circle()).unwrap(), r#"{"news":{"radius":2}}"#);
}

#[test]
fn a_request_of_the_peer_is_answered_once() {
    let mut session = sky();
    let Event::Request(request) = session.receive(asked(number(5), framed())) else {
        panic!("it is a request")
    };
    let other = session.reply(request.id(), &tone(), tone());
    assert!(matches!(other, Err(SessionError::Encode(_))));
    assert_eq!(open(&session), (vec![], vec![number(5)]));
    let Line::Framed(payload) = request.payload() else {
        panic!("it was framed")
    };
    let line = session.reply(&Label::Number(5), payload, circle());
    assert_eq!(line.unwrap(), r#"{"floor":1,"id":5,"note":{"radius":2}}"#);
    let again = session.reply(request.id(), payload, circle());
    assert_eq!(again, Err(SessionError::NotOpen));
    assert_eq!(
        encode(request.envelope()).unwrap().get(..8),
        Some(r#"{"id":5,"#)
    );
}

/// The result of answering a request with JSON.
fn answered(ask: impl Into<Line>, json: Option<&str>) -> Result<String, (Code, String)> {
    let mut session = sky().refuse_unknown(false);
    session.receive(asked(number(5), ask));
    let json = json.map(|json| Json::parse(json).unwrap());
    match session.reply_json(&number(5), json.as_ref()) {
        Ok(line) => Ok(line.replace(r#"{"floor":1,"id":5,"note":"#, "")),
        Err(SessionError::Encode(error)) => {
            assert_eq!(open(&session).1, [number(5)]);
            Err((error.code, error.path))
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn json_is_an_answer_of_the_type_that_belongs_to_the_request() {
    let plain = PlainGift {
        wrapped: None,
        extra: Object::new(),
    };
    assert_eq!(
        answered(tone(), Some(r#"{"pitch":"low"}"#)).unwrap(),
        r#"{"pitch":"low"}}"#
    );
    let unknown = r#"{"pitch":"none"}"#;
    assert_eq!(
        answered(tone(), Some(unknown)).unwrap(),
        format!("{unknown}}}")
    );
    let wrong = answered(tone(), Some(r#"{"pitch":1}"#)).unwrap_err();
    assert_eq!(wrong, (Code::WrongType, "/pitch".into()));
    assert_eq!(
        answered(tone(), None).unwrap_err(),
        (Code::MissingField, "/answer".into())
    );
    assert_eq!(answered(plain.clone(), None).unwrap(), "{}}");
    assert_eq!(answered(plain.clone(), Some("null")).unwrap(), "null}");
    assert_eq!(answered(plain, Some("1")).unwrap_err().0, Code::WrongType);
    // A request that only this side sends, or that neither side sends, accepts an answer of any type.
    assert_eq!(answered(fault(), Some("[1]")).unwrap(), "[1]}");
    assert_eq!(answered(fault(), None).unwrap(), "{}}");
    let wrapped = WrappedGift {
        paper: "x".into(),
        extra: Object::new(),
    };
    assert_eq!(answered(wrapped, Some("7")).unwrap(), "7}");
}

#[test]
fn what_has_no_answer_or_may_lack_one_is_answered_with_null() {
    let mut earth = Session::new(Peer::Earth);
    let ring: Line = decode(r#"{"kind":"ring","version":2,"id":"x","sizes":[1]}"#).unwrap();
    let null = Json::NULL;
    for (at, ask) in [ring.clone(), fault().into()].into_iter().enumerate() {
        let id = number(at as i64);
        earth.receive(asked(id.clone(), ask));
        let line = earth.reply_json(&id, Some(&null)).unwrap();
        assert!(line.ends_with(r#""note":{}}"#), "{line}");
    }
    earth.receive(asked(number(9), ring));
    let Err(SessionError::Encode(error)) = earth.reply_json(&number(9), Some(&Json::from(1)))
    else {
        panic!("a ring has no answer")
    };
    assert_eq!((error.code, &*error.path), (Code::WrongType, ""));
}

#[test]
fn an_unknown_request_is_refused() {
    let mut session = sky();
    for ask in [decode(r#"{"kind":"other"}"#).unwrap(), Line::from(fault())] {
        let Event::UnknownRequest { request, line, .. } = session.receive(asked(number(1), ask))
        else {
            panic!("nobody sends it to the sky")
        };
        assert_eq!(request.id(), &number(1));
        let line = line.unwrap();
        assert!(
            line.contains(r#""label":404"#) && line.contains("unknown request"),
            "{line}"
        );
        assert_eq!(open(&session), (vec![], vec![]));
    }
}

#[test]
fn a_request_is_refused_with_what_the_program_says() {
    let mut session = sky().refuse_unknown(false);
    session.receive(asked(number(1), tone()));
    session.receive(asked(number(2), fault()));
    let line = session.refuse(&number(1), "no").unwrap();
    assert!(
        line.contains(r#""from":"no""#) && !line.contains("label"),
        "{line}"
    );
    let unknown = session.refuse(&number(2), Refusal::new("no")).unwrap();
    assert!(unknown.contains(r#""label":404"#), "{unknown}");
    assert_eq!(session.refuse(&number(1), "no"), Err(SessionError::NotOpen));
}

#[test]
fn a_cancelled_request_is_answered_late() {
    let mut session = sky();
    let (id, _) = session.request(tone()).unwrap();
    assert_eq!(session.cancel(&id).unwrap(), r#"{"id":1}"#);
    assert_eq!(session.cancel(&id), Err(SessionError::NotPending));
    for _ in 0..2 {
        let late = session.receive(answer(id.clone(), "{}"));
        assert_eq!(stray(late).0, Stray::Late);
    }
    session.request_with_id(id.clone(), fault()).unwrap();
    assert!(matches!(
        session.receive(answer(id, "{}")),
        Event::Answer(_)
    ));
}

#[test]
fn the_peer_cancels_what_is_unanswered() {
    let mut session = sky();
    session.receive(asked(number(1), tone()));
    let Event::Cancellation(request) = session.receive(stop(number(1))) else {
        panic!("it is cancelled")
    };
    assert_eq!(request.payload(), &tone().into());
    let reply = session.reply(request.id(), &tone(), tone());
    assert_eq!(reply, Err(SessionError::NotOpen));
    let again = session.receive(stop(number(1)));
    assert_eq!(stray(again), (Stray::Unknown, Some(number(1))));
}

#[test]
fn what_fits_nothing_is_stray() {
    let mut session = sky();
    let never = session.receive(answer(number(1), "{}"));
    assert_eq!(stray(never), (Stray::Unknown, Some(number(1))));
    let nameless = session.receive(reply(None, 1, Some("{}"), None));
    assert_eq!(stray(nameless), (Stray::Unknown, None));
    session.receive(asked(number(1), tone()));
    let reused = session.receive(asked(number(1), framed()));
    assert_eq!(stray(reused), (Stray::Reused, Some(number(1))));
    assert_eq!(Stray::Reused.to_string(), "reused");
}

#[test]
fn other_messages_are_left_as_they_are() {
    let mut session = sky();
    let pause = Talk::Pause(square());
    assert_eq!(session.receive(pause.clone()), Event::Message(pause));
    let neither = reply(Some(number(1)), 3, None, None);
    assert_eq!(session.receive(neither.clone()), Event::Message(neither));
    let told = Told {
        news: circle().into(),
        extra: Object::new(),
    };
    let event = session.receive(Box::new(told));
    assert_eq!(event, Event::Notification(circle().into()));
}

#[test]
fn the_last_ids_are_remembered() {
    let mut session = sky();
    for at in 1..=1025 {
        session.request_with_id(number(at), fault()).unwrap();
        session.receive(answer(number(at), "{}"));
    }
    let mut reason = |at| stray(session.receive(answer(number(at), "{}"))).0;
    assert_eq!((reason(1), reason(2)), (Stray::Unknown, Stray::Repeated));
    assert_eq!(reason(1025), Stray::Repeated);
}

#[test]
fn an_id_that_is_pending_again_takes_no_room_among_those_that_are_not() {
    let mut session = sky();
    let mut ask = |at, is_answered| {
        session.request_with_id(number(at), fault()).unwrap();
        if is_answered {
            session.receive(answer(number(at), "{}"));
        }
    };
    (1..=1024).for_each(|at| ask(at, true));
    ask(1024, false);
    ask(1025, true);
    let oldest = session.receive(answer(number(1), "{}"));
    assert_eq!(stray(oldest).0, Stray::Repeated);
}

#[test]
fn errors_say_what_is_wrong() {
    let errors = [
        SessionError::IdInUse,
        SessionError::NotPending,
        SessionError::NotOpen,
        SessionError::WrongDirection,
        SessionError::Encode(crate::controls::another_request()),
    ];
    let codes = errors.each_ref().map(SessionError::as_str);
    assert_eq!(
        codes,
        [
            "id_in_use",
            "not_pending",
            "not_open",
            "wrong_direction",
            "wrong_type"
        ]
    );
    for error in errors {
        assert!(!error.to_string().is_empty());
    }
}
