import assert from "node:assert/strict";
import { test } from "node:test";

import { agent, parcel, thrown } from "./package.mjs";

const { decode, decodeResponse, encode, ControlError, reply, request, toolInput } = agent;

test("a request goes out in its envelope, under an id of its own", () => {
  const asked = request({ subtype: "interrupt" });
  assert.deepEqual(Object.keys(asked), ["type", "request_id", "request"]);
  assert.match(asked.request_id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.notEqual(asked.request_id, request({ subtype: "interrupt" }).request_id);
  assert.equal(encode(request({ subtype: "interrupt" }, "1")).includes('"request_id":"1"'), true);
});

test("ids are made wherever the package runs", () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  const getRandomValues = (bytes) => bytes.fill(0xff);
  try {
    for (const value of [undefined, { getRandomValues }]) {
      Object.defineProperty(globalThis, "crypto", { value, configurable: true, writable: true });
      assert.match(request({ subtype: "interrupt" }).request_id, form);
    }
  } finally {
    if (own === undefined) delete globalThis.crypto;
    else Object.defineProperty(globalThis, "crypto", own);
  }
});

test("an answer has the type that belongs to its request", () => {
  const asked = request({ subtype: "can_use_tool", tool_name: "Bash", input: {}, tool_use_id: "t" }, "7");
  const answer = reply(asked, { behavior: "deny", message: "no" });
  assert.deepEqual(JSON.parse(encode(answer)), {
    type: "control_response",
    response: { subtype: "success", request_id: "7", response: { behavior: "deny", message: "no" } },
  });
  const back = decode(encode(answer));
  assert.deepEqual(decodeResponse(asked, back), { behavior: "deny", message: "no" });
  assert.deepEqual(decodeResponse(asked.request, back), { behavior: "deny", message: "no" });
  const wrong = { ...answer, response: { ...answer.response, response: { behavior: "deny" } } };
  const error = thrown(() => decodeResponse(asked, wrong));
  assert.equal(error.code, "missing_field");
  assert.equal(error.path, "/message");
});

test("an answer that is missing is an error where there has to be one", () => {
  const asked = request({ subtype: "mcp_status" });
  const nothing = { type: "control_response", response: { subtype: "success", request_id: asked.request_id } };
  for (const [call, path] of [
    [() => decodeResponse(asked, nothing), ""],
    [() => reply(asked), "/response/response"],
  ]) {
    const error = thrown(call);
    assert.deepEqual([error.code, error.path], ["missing_field", path]);
  }
  const change = request({ subtype: "set_permission_mode", mode: "plan" });
  assert.equal(decodeResponse(change, reply(change)), undefined);
  assert.equal("response" in reply(change).response, false);
});

test("a reply is as the newest release answers, and an answer as any release does", () => {
  const asked = request({ subtype: "interrupt" }, "1");
  for (const [result, code] of [
    [undefined, "missing_field"],
    [null, "wrong_type"],
  ]) {
    assert.equal(thrown(() => reply(asked, result)).code, code);
  }
  assert.deepEqual(decodeResponse(asked, reply(asked, { still_queued: [] })), { still_queued: [] });
  const old = { type: "control_response", response: { subtype: "success", request_id: "1" } };
  assert.equal(decodeResponse(asked, old), undefined);
});

test("a response that was not decoded is taken as if it were", () => {
  const asked = request({ subtype: "interrupt" }, "1");
  const response = { subtype: "success", request_id: "1", response: null };
  assert.equal(decodeResponse(asked, { type: "control_response", response }), undefined);
  assert.throws(() => decodeResponse(asked, { type: "control_response" }), agent.DecodeError);
});

test("a response with an error carries no answer", () => {
  const asked = request({ subtype: "mcp_status" }, "1");
  const response = { type: "control_response", response: { subtype: "error", request_id: "1", error: "no" } };
  const error = thrown(() => decodeResponse(asked, response));
  assert.equal(error instanceof ControlError, true);
  assert.equal(error.name, "ControlError");
  assert.equal(error.message, "no");
  assert.deepEqual(error.response, response);
  assert.deepEqual([error.code, error.data], [undefined, undefined]);
});

test("an answer that is not the request's is no response", () => {
  const asked = request({ subtype: "can_use_tool", tool_name: "Bash", input: {}, tool_use_id: "t" }, "7");
  for (const [answer, code, path] of [
    [{ behavior: "deny" }, "missing_field", "/response/response/message"],
    [{ behavior: 1 }, "wrong_type", "/response/response/behavior"],
    [undefined, "missing_field", "/response/response"],
    [{ behavior: "allow", updatedInput: new Date(0) }, "wrong_type", "/response/response/updatedInput"],
  ]) {
    const error = thrown(() => reply(asked, answer));
    assert.deepEqual([error.name, error.code, error.path], ["EncodeError", code, path]);
  }
  assert.equal(thrown(() => reply(request({ subtype: "mcp_reconnect", serverName: "s" }), {})).code, "wrong_type");
  assert.equal(thrown(() => reply(request({ subtype: "interrupt" }), {})).path, "/response/response/still_queued");
  assert.equal(thrown(() => reply({ type: "control_request", request: asked.request }, {})).code, "missing_field");
});

test("a refusal carries the text that the peer is told", () => {
  const asked = request({ subtype: "mcp_status" }, "9");
  const response = agent.refuse(asked, "not now");
  assert.deepEqual(response, {
    type: "control_response",
    response: { subtype: "error", request_id: "9", error: "not now" },
  });
  const error = thrown(() => decodeResponse(asked, decode(encode(response))));
  assert.deepEqual([error.name, error.message], ["ControlError", "not now"]);
});

test("a response of a third form is neither an answer nor an error", () => {
  const asked = request({ subtype: "interrupt" }, "1");
  const response = decode('{"type":"control_response","response":{"subtype":"later","request_id":"1"}}');
  assert.throws(() => decodeResponse(asked, response), /^TypeError: expected a response with an answer or an error/);
});

test("a request is cancelled under its id", () => {
  const asked = request({ subtype: "mcp_status" }, "9");
  assert.deepEqual(agent.cancel(asked), { type: "control_cancel_request", request_id: "9" });
});

test("a request is told by its kind", () => {
  const asked = request({ subtype: "mcp_status" }, "9");
  assert.equal(agent.isRequestOf(asked, "mcp_status"), true);
  assert.equal(agent.isRequestOf(asked, "interrupt"), false);
  assert.equal(agent.isRequestOf({ ...asked, request_id: 1 }, "mcp_status"), false);
  for (const other of [null, undefined, 1, {}, asked.request])
    assert.equal(agent.isRequestOf(other, "mcp_status"), false);
});

test("the answer to a request that is not known is given as it is", () => {
  const asked = request({ subtype: "new", anything: 1 });
  assert.deepEqual(decodeResponse(asked, reply(asked, { any: null })), { any: null });
});

test("the input of a tool has the type that belongs to its name", () => {
  assert.deepEqual(toolInput("Bash", { command: "ls" }), { command: "ls" });
  assert.equal(thrown(() => toolInput("Bash", { command: 1 })).path, "/command");
  assert.equal(thrown(() => toolInput("Bash", { command: "ls", new: 1 }, { strict: true })).code, "unknown_field");
  assert.equal(toolInput("toString", 1), 1);
  assert.deepEqual(toolInput("mcp__server__tool", { any: 1 }), { any: 1 });
  assert.throws(() => toolInput("mcp__server__tool", 1), agent.DecodeError);
});

test("pairs follow what the spec says of envelopes and tools", { skip: parcel === undefined }, () => {
  const asked = parcel.request({ what: "turn", side: "left" }, "1");
  assert.deepEqual(asked, { type: "ask", ask_id: "1", ask: { what: "turn", side: "left" } });
  const answer = parcel.reply(asked, { x: 1, y: 2 });
  assert.deepEqual(answer, { type: "answer", ask_id: "1", answer: { x: 1, y: 2 } });
  assert.deepEqual(parcel.decodeResponse(asked, answer), { x: 1, y: 2 });
  assert.equal(parcel.toolOutput("weigh", 1.5), 1.5);
  assert.throws(() => parcel.toolOutput("weigh", "1"), parcel.DecodeError);
  assert.throws(() => parcel.toolInput("stamp__it", {}), parcel.DecodeError);
});
