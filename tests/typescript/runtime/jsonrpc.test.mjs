import assert from "node:assert/strict";
import { test } from "node:test";

import { shelf, thrown } from "./package.mjs";

const { ControlError, decode, decodeResponse, encode, notify, refuse, reply, request } = shelf;

const find = request({ method: "shelf/find", params: { title: "x" } }, "a");
const sort = request({ method: "shelf/sort", params: { by: "title" } }, 7);

/** Encodes and decodes a response, and returns its error. */
function raised(asked, response) {
  const error = thrown(() => decodeResponse(asked, decode(encode(response))));
  assert.equal(error instanceof ControlError, true, String(error));
  return error;
}

test("ids are counted, and may be texts", () => {
  const [first, second] = [request({ method: "ping" }).id, request({ method: "ping" }).id];
  assert.deepEqual([typeof first, second], ["number", first + 1]);
  assert.equal(find.id, "a");
  assert.equal(reply(find, null).id, "a");
  assert.equal(reply(request({ method: "ping" }, "7")).id, "7");
  assert.equal(reply(request({ method: "ping" }, 7)).id, 7);
});

test("a list, a number, a boolean, null and an object are results", () => {
  const place = { shelf: 1, from: 2.5 };
  for (const result of [null, place, [place], []]) {
    const line = encode(reply(find, result));
    assert.equal(line, `{"jsonrpc":"2.0","id":"a","result":${JSON.stringify(result)}}`);
    assert.deepEqual(decodeResponse(find, decode(line)), result);
  }
  const count = request({ method: "shelf/count" }, 1);
  assert.equal(encode(reply(count, 3)), '{"jsonrpc":"2.0","id":1,"result":3}');
  assert.equal(thrown(() => reply(count, "3")).code, "wrong_type");
  const ask = request({ method: "librarian/ask", params: { title: "x" } }, 1);
  assert.equal(decodeResponse(ask, decode(encode(reply(ask, false)))), false);
  const state = request({ method: "shelf/state" }, 1);
  assert.throws(() => reply(state), { code: "missing_field", path: "/result" });
  for (const result of [null, 0, "x", [{}]]) assert.deepEqual(decodeResponse(state, reply(state, result)), result);
});

test("an answer of another type is none", () => {
  const list = request({ method: "shelf/list" }, 2);
  const error = thrown(() => reply(list, [{}]));
  assert.deepEqual([error.name, error.code, error.path], ["EncodeError", "missing_field", "/result/0/title"]);
  for (const result of ["x", {}, null]) {
    const line = decode(`{"jsonrpc":"2.0","id":2,"result":${JSON.stringify(result)}}`);
    assert.equal(thrown(() => decodeResponse(list, line)).name, "DecodeError");
  }
});

test("no result, null and a value are three things", () => {
  for (const [result, text] of [
    [undefined, "{}"],
    [null, "null"],
    ["title", '"title"'],
  ]) {
    const line = encode(reply(sort, result));
    assert.equal(line, `{"jsonrpc":"2.0","id":7,"result":${text}}`);
    assert.equal(decodeResponse(sort, decode(line)), result);
  }
  const ping = request({ method: "ping" }, 1);
  assert.equal(decodeResponse(ping, reply(ping)), undefined);
});

test("an error has its code and typed data", () => {
  const busy = raised(find, refuse(find, "busy"));
  assert.deepEqual([busy.message, busy.code, busy.data], ["busy", -32603, undefined]);
  const missing = { title: "x", near: ["y"] };
  const gone = raised(find, refuse(find, "gone", { code: -32002, data: missing }));
  assert.deepEqual([gone.code, gone.data, shelf.is(gone.data, shelf.MissingBook)], [-32002, missing, true]);
  const repaired = decode(
    '{"jsonrpc":"2.0","id":"a","error":{"code":-32002,"message":".","data":{"title":"x","near":null}}}',
  );
  assert.deepEqual(Object.keys(raised(find, repaired).data), ["title"]);
  const locked = { until: "2025-01-01T00:00:00Z" };
  assert.deepEqual(raised(sort, refuse(sort, "locked", { data: locked })).data, locked);
});

test("data that does not fit is data of the error all the same", () => {
  for (const data of [[1], null, { title: 1 }]) {
    assert.deepEqual(raised(find, refuse(find, "gone", { code: -32002, data })).data, data);
  }
});

test("an error without an id answers no request", () => {
  const came = decode('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}');
  assert.deepEqual([shelf.isRpcError(came), came.id], [true, null]);
});

test("what is neither an answer nor an error is no response", () => {
  for (const line of [find, notify({ method: "notifications/closed" }), { jsonrpc: "2.0", id: 1 }]) {
    assert.throws(() => decodeResponse(find, line), /^TypeError: expected a response with an answer or an error/);
  }
});

test("a request that is not declared is refused as unknown", () => {
  const came = decode('{"jsonrpc":"2.0","id":3,"method":"x/y","params":[1]}');
  const line = '{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no such method"}}';
  assert.equal(encode(refuse(came, "no such method")), line);
});

test("notifications and cancellations have their envelope", () => {
  const closed = encode(notify({ method: "notifications/closed" }));
  assert.equal(closed, '{"jsonrpc":"2.0","method":"notifications/closed"}');
  const cancelled = encode(shelf.cancel(sort));
  assert.equal(cancelled, '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}');
  assert.deepEqual(decode(cancelled), shelf.cancel(sort));
  assert.throws(() => notify({ method: "ping" }), /^TypeError: expected a notification/);
});

test("a request is told by its kind", () => {
  assert.equal(shelf.isRequestOf(decode(encode(sort)), "shelf/sort"), true);
  assert.equal(shelf.isRequestOf(sort, "ping"), false);
});

test("a protocol without tools offers nothing for them", () => {
  assert.deepEqual([shelf.toolInput, shelf.toolOutput], [undefined, undefined]);
});
