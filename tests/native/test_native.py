"""The native extension: when a package uses it, what it leaves to Python, and that it neither leaks nor corrupts.

The testee `python-native` checks on every case that it makes the same objects, lines and errors as the functions in
Python, and so do the tests of the runtime on the sample protocol.
"""

from __future__ import annotations

import gc
import json
import re
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import pytest

import toolchain
from traffic import FOLDER

PACKAGES = [toolchain.ROOT / "generated" / "python", toolchain.ROOT / "runtimes" / "python" / "src"]
SAMPLE = toolchain.ROOT / "runtimes" / "python" / "tests" / "sample"

LINES = [line for file in sorted(FOLDER.rglob("*.out.ndjson")) for line in file.read_bytes().split(b"\n") if line]

pytest.importorskip("polywire_native", reason="`make .venv/native.stamp` says why it is missing")


def run(program: str, **environment: str) -> str:
    """The output of a program that uses the package, under the checks of Python's development mode."""
    settings = {"PYTHONPATH": f"{PACKAGES[0]}", "PYTHONFAULTHANDLER": "1", "PYTHONUTF8": "1", **environment}
    command = [sys.executable, "-X", "dev", "-c", textwrap.dedent(program)]
    done = subprocess.run(command, env=settings, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def natively(package: Any, line: bytes | str, type_: Any = None) -> Any:
    """What the extension itself decodes; NotImplemented if it leaves the line to Python."""
    return package._native.NATIVE.decode(line, package._native.number_of(type_), False)


# --- when it is used -------------------------------------------------------------------------------------------


def test_the_extension_decodes_and_encodes_every_captured_line(package: Any) -> None:
    messages = [natively(package, line) for line in LINES]
    assert NotImplemented not in messages
    lines = [package._native.NATIVE.encode(message, None) for message in messages]
    left = [type(message) for message, line in zip(messages, lines, strict=True) if line is NotImplemented]
    assert all(issubclass(each, package.Unknown) for each in left)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(package._wire, "NATIVE", None)
        written = [package.encode(message) for message in messages]
    assert all(line in {again, NotImplemented} for line, again in zip(lines, written, strict=True))
    assert len(messages) > 500


@pytest.mark.parametrize(("value", "used"), [("0", False), ("1", True), ("", True)])
def test_an_environment_variable_switches_it_off(value: str, used: bool) -> None:
    program = "import agentlines; print(agentlines._native.NATIVE is not None)"
    assert run(program, POLYWIRE_NATIVE=value) == f"{used}\n"


def test_a_package_with_rows_of_another_layout_does_not_use_it() -> None:
    program = """
        import polywire_native
        polywire_native.LAYOUT += 1
        import agentlines
        print(agentlines._native.NATIVE, agentlines.decode(b'{"type":"keep_alive"}'))
    """
    assert run(program) == "None KeepAliveMessage()\n"


@pytest.mark.parametrize(("ahead", "used"), [(0, True), (1, False)])
def test_tables_use_it_if_it_has_their_layout(ahead: int, used: bool) -> None:
    program = f"""
        import polywire_native
        polywire_native.TABLES_LAYOUT += {ahead}
        from agentlines import tables
        print(tables._TABLES._extension is polywire_native)
    """
    assert run(program) == f"{used}\n"


def test_a_package_without_the_extension_gives_the_same() -> None:
    program = """
        import sys
        sys.modules["polywire_native"] = None
        import agentlines
        print(agentlines._native.NATIVE, agentlines.decode(b'{"type":"keep_alive"}'))
    """
    assert run(program) == "None KeepAliveMessage()\n"


def test_a_subinterpreter_gets_the_functions_in_python() -> None:
    program = """
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        import agentlines
        assert agentlines._native.NATIVE is not None
        check = "import agentlines; assert agentlines._native.NATIVE is None; "
        check += "assert repr(agentlines.decode(b'{\\"type\\":\\"keep_alive\\"}')) == 'KeepAliveMessage()'"
        own = interpreters.create()
        assert not interpreters.run_string(own, check)
        interpreters.destroy(own)
    """
    run(program)


def test_packages_in_one_process_do_not_share_anything() -> None:
    program = f"""
        import sys
        sys.path += [{str(PACKAGES[1])!r}, {str(SAMPLE)!r}]
        import polywire_runtime._ndjson
        sys.modules["polywire_runtime._framing"] = polywire_runtime._ndjson
        import agentlines
        from polywire_runtime import _native, _wire
        for _ in range(3):
            line = agentlines.decode(b'{{"type":"keep_alive"}}')
            note = _wire.decode(b'{{"kind":"note","text":"a"}}', "Note")
            assert type(line) is agentlines.KeepAliveMessage, line
            assert (type(note).__module__, note.text) == ("polywire_runtime.model", "a")
            assert agentlines.encode(line) == b'{{"type":"keep_alive"}}'
        for native in (agentlines._native.NATIVE, _native.NATIVE):
            assert native is not None
        assert agentlines._native.NATIVE.encode(note, None) is NotImplemented
    """
    run(program)


def test_strings_are_those_of_json_loads(package: Any) -> None:
    ends = ["\x7f", "\x80", "\xff", "\u0100", "\u07ff", "\u0800", "\uffff", "\U00010000", "\U0010ffff"]
    texts = ["a" * count + end + "b" * after for count in range(18) for end in ["", *ends] for after in (0, 7, 8, 140)]
    texts += [first + second + "c" for first in ends for second in ends]
    for text in texts:
        line = json.dumps({"type": "keep_alive", "a": text}, ensure_ascii=False).encode()
        for data in (line, line.replace(b"c", b"\\n")):
            found, expected = natively(package, data).extra["a"], json.loads(data)["a"]
            assert (found, hash(found), sys.getsizeof(found)) == (expected, hash(expected), sys.getsizeof(expected))
            assert len(found) > 1 or found is expected or ord(found or "\0") > 0xFF


# --- what it leaves to Python ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b'{"type":"keep_alive"', id="text that is no JSON"),
        pytest.param(b'{"type":1}', id="a fault"),
        pytest.param(b'{"type":"keep_alive","a":"\\ud800"}', id="a lone surrogate"),
        pytest.param(b'{"type":"keep_alive","a":9223372036854775808}', id="an integer of more than 64 bits"),
        pytest.param(b'{"type":"keep_alive","a":1e999}', id="a number that overflows"),
        pytest.param(
            b'{"type":"keep_alive","a":' + b"[" * 40 + b"]" * 40 + b"}", id="more levels than a small stack allows"
        ),
        pytest.param(bytearray(b'{"type":"keep_alive"}'), id="bytes that may change"),
        pytest.param(b'\xef\xbb\xbf{"type":"keep_alive"}', id="a byte order mark"),
        pytest.param(b'{"type":"keep_alive","a":"\xff"}', id="bytes that are not UTF-8"),
        pytest.param('{"type":"keep_alive","a":"\ud800"}', id="a text without UTF-8"),
        pytest.param(None, id="no text"),
    ],
)
def test_what_is_unusual_is_decoded_in_python(package: Any, line: Any) -> None:
    assert natively(package, line) is NotImplemented


def test_what_is_unusual_is_written_in_python(package: Any) -> None:
    class Sub(package.KeepAliveMessage):  # type: ignore[misc, name-defined]  # the fixture is of type Any
        __slots__ = ()

    class Text(str):
        __slots__ = ()

    encode = package._native.NATIVE.encode
    loop: list[Any] = []
    loop.append(loop)
    deep: Any = []
    for _ in range(200):
        deep = [deep]
    broken = package.decode(b'{"type":"keep_alive"}')
    del broken._extra
    odd = [{"a": value} for value in (2**63, float("nan"), (), Text("a"), b"", loop, deep, {1: 2}, {Text("a"): 1})]
    messages = [Sub(), broken, *(package.KeepAliveMessage(extra=extra) for extra in odd)]
    assert [encode(message, None) for message in messages] == [NotImplemented] * len(messages)
    assert package.encode(Sub()) == b'{"type":"keep_alive"}'
    assert package.encode(package.KeepAliveMessage(extra={"a": Text("b")})) == b'{"type":"keep_alive","a":"b"}'


def test_lone_surrogates_and_all_other_code_points_are_written_like_json_dumps(package: Any) -> None:
    odd = ["a" * 40 + '\x7f"\\', "é\ud800", "\udfff", "\uffff", "\U00010000", "\U0010ffff", "a\0"]
    texts = [*map(chr, range(0x300)), *odd]
    message = package.KeepAliveMessage(extra={"a": texts})
    line = package._native.NATIVE.encode(message, None)
    assert line == f'{{"type":"keep_alive","a":{json.dumps(texts, separators=(",", ":"))}}}'.encode()


# --- safety ----------------------------------------------------------------------------------------------------

SWEEP = """
    import gc, pathlib, resource, sys
    import agentlines
    from agentlines import UNSET, decode, encode
    from agentlines._native import NATIVE, number_of

    lines = pathlib.Path(LINES).read_bytes().split(b"\\n")
    faulty = [line[: len(line) // 2] for line in lines] + [line.replace(b'"type"', b'"tope"', 1) for line in lines]
    faulty += [line[:-1] + b',"zzz":["\\\\ud800"]}' for line in lines]

    def once():
        for line in lines:
            message = decode(line)
            encode(message)
        for line in faulty:
            NATIVE.decode(line, None, False)

    def counts():
        gc.collect()
        shared = [UNSET, agentlines.KeepAliveMessage, agentlines.AssistantMessage, "assistant", decode, 1, True]
        return [*map(sys.getrefcount, shared), len(gc.get_objects())]

    for _ in range(3):
        once()
    before = counts()
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(ROUNDS):
        once()
    after = counts()
    assert max(abs(a - b) for a, b in zip(before, after)) <= 3, (before, after)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - resident
    assert grown < 4096, f"{grown} KiB"
    print("counted")
"""


def swept(tmp_path: Path, rounds: int) -> str:
    file = tmp_path / "lines.ndjson"
    file.write_bytes(b"\n".join(LINES[::7]))
    program = textwrap.dedent(SWEEP).replace("LINES", repr(str(file))).replace("ROUNDS", str(rounds))
    return run(program)


def test_no_reference_and_no_memory_is_lost(tmp_path: Path) -> None:
    assert swept(tmp_path, 10) == "counted\n"


@pytest.mark.nightly
def test_no_reference_and_no_memory_is_lost_over_a_million_lines(tmp_path: Path) -> None:
    assert swept(tmp_path, 1_000_000 // len(LINES[::7])) == "counted\n"


def test_a_filter_is_freed_with_its_reader() -> None:
    program = """
        import io, resource
        import agentlines
        from agentlines._native import NATIVE, number_of

        def once():
            filters = [NATIVE.filter(number_of(None), ("KeepAliveMessage", "ResultMessage")) for _ in range(1000)]
            line = b'{"type":"keep_alive"}'
            assert all(type(NATIVE.decode_wanted(line, each, False)) is agentlines.KeepAliveMessage for each in filters)

        for _ in range(3):
            once()
        resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(100):
            once()
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - resident
        assert grown < 4096, f"{grown} KiB"
        for other in (0, None, object()):
            assert NATIVE.decode_wanted(b'{"type":"keep_alive"}', other, False) is NotImplemented
    """
    run(program)


SCARCE = """
    import resource
    import agentlines
    from agentlines._native import NATIVE

    def bounded(run, value, megabytes):
        with open("/proc/self/statm") as file:
            pages = int(file.read().split()[0])
        limit = pages * resource.getpagesize() + (megabytes << 20)
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        try:
            return "missed" if run(value) is NotImplemented else "done"
        except MemoryError:
            return "MemoryError"
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    def decode(line):
        return NATIVE.decode(line, None, False)

    def encode(message):
        return NATIVE.encode(message, None)

    head = b'{"type":"keep_alive","a":'
    lines = {
        "items": head + b"[" + b"0," * 1_000_000 + b"0]}",
        "members": head + b"{" + b",".join(b'"%x":0' % n for n in range(300_000)) + b"}}",
        "text": head + b'"' + b"a" * 20_000_000 + b'"}',
        "escapes": head + b'"' + rb"\\n" * 10_000_000 + b'"}',
        "wide": head + b'"' + "\u20ac".encode() * 5_000_000 + b'"}',
    }
    messages = {name: decode(line) for name, line in lines.items()}
    assert NotImplemented not in messages.values()
    for name, run, values in (("decode", decode, lines), ("encode", encode, messages)):
        for kind, value in values.items():
            print(name, kind, *dict.fromkeys(bounded(run, value, room) for room in (0, 1, 3, 9, 20, 40, 65, 2000)))
"""


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="it limits the memory of a process, which Linux reports")
def test_a_lack_of_memory_does_not_end_the_process() -> None:
    # The allocator of glibc gives back what was freed, so that it is not used again within the limit.
    found = [line.split() for line in run(SCARCE, MALLOC_MMAP_THRESHOLD_="131072").splitlines()]
    assert [kind for _, kind, *_ in found] == ["items", "members", "text", "escapes", "wide"] * 2
    for how, lacking in (("decode", "missed"), ("encode", "MemoryError")):
        outcomes = {kind: each for by, kind, *each in found if by == how}
        assert all(each[-1] == "done" for each in outcomes.values()), outcomes
        assert outcomes["items"][0] == lacking, outcomes


def test_deep_documents_do_not_overflow_the_stack_of_a_small_thread() -> None:
    program = """
        import threading
        import agentlines
        from agentlines._native import NATIVE
        threading.stack_size(64 * 1024)

        def work():
            for levels in range(1, 64):
                line = b'{"type":"keep_alive","a":' + b'{"a":[' * levels + b"]}" * levels + b"}"
                assert agentlines.encode(agentlines.decode(line)) == line
                assert (NATIVE.decode(line, None, False) is NotImplemented) == (2 * levels > 39)
            print("done")

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    """
    assert run(program) == "done\n"


def test_threads_share_the_extension(package: Any) -> None:
    lines = LINES[::11]
    expected = [package.decode(line) for line in lines]
    wrong: list[object] = []

    def work() -> None:
        for line, message in zip(lines * 3, expected * 3, strict=True):
            found = package.decode(line)
            if found != message or package.encode(found) != package.encode(message):
                wrong.append(line)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert wrong == []


def test_code_that_the_collector_runs_meanwhile_may_decode_and_sees_no_incomplete_object(package: Any) -> None:
    lines = LINES[::13]
    seen = []

    class Loop:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            seen.append(package.decode(lines[len(seen) % len(lines)]))
            for each in gc.get_objects(0):
                if isinstance(each, list):
                    len([*each])
                elif isinstance(each, package.Record):
                    repr(each)

    thresholds, is_enabled = gc.get_threshold(), gc.isenabled()
    gc.enable()  # the command line, which other tests call, switches it off
    gc.set_threshold(1, 1, 1)
    try:
        for line in lines[:60]:
            Loop()
            assert package.encode(package.decode(line))
    finally:
        gc.set_threshold(*thresholds)
        if not is_enabled:
            gc.disable()
    assert len(seen) > 20


def test_objects_are_collected_like_those_made_in_python(package: Any) -> None:
    message = package.decode(b'{"type":"keep_alive","a":[]}')
    assert gc.is_tracked(message)
    message.extra["a"].append(message)
    identity = id(message)
    del message
    gc.collect()
    assert all(id(each) != identity or not isinstance(each, package.Record) for each in gc.get_objects())


# --- sources ---------------------------------------------------------------------------------------------------

CRATE = toolchain.NATIVE_CRATE
UNSAFE = re.compile(r"\bunsafe (?:\{|fn|impl|extern)")


def test_unsafe_code_is_in_one_module() -> None:
    unsafe = [file.name for file in sorted((CRATE / "src").glob("*.rs")) if UNSAFE.search(file.read_text("utf-8"))]
    assert unsafe == ["python.rs"]


def test_rustfmt_changes_nothing(rust: toolchain.Toolchain) -> None:
    done = rust.run("cargo", "fmt", "--check", cwd=CRATE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.full
def test_clippy_is_silent(rust: toolchain.Toolchain) -> None:
    options = ("--offline", "--locked", "--quiet", "--all-targets", "--", "-D", "warnings")
    done = rust.run("cargo", "clippy", *options, cwd=CRATE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_no_comment_has_an_overlong_line() -> None:
    texts = [file.read_text("utf-8") for file in (CRATE / "src").glob("*.rs")]
    assert [line for text in texts for line in text.splitlines() if len(line) > 120] == []
