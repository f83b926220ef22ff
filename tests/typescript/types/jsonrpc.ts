// Ids of two types, results of every type, errors with data, notifications, cancellations.

import {
  cancel,
  ControlError,
  decodeResponse,
  encode,
  is,
  isRequestOf,
  MissingBook,
  notify,
  refuse,
  reply,
  request,
  Session,
  type Book,
  type ErrorData,
  type LockedShelf,
  type Place,
  type RequestId,
  type ResponseTo,
  type RpcError,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  type StateCall,
  type SortCall,
  type SortKey,
} from "shelf";

import { expect, typed, type Equal } from "./expect.js";

declare const response: RpcResponse | RpcError;
declare const received: RpcRequest;

typed(request({ method: "ping" }).id)<RequestId>();
const find = request({ method: "shelf/find", params: { title: "x" } }, "a");
const sort = request({ method: "shelf/sort", params: { by: "title" } }, 7);
const list = request({ method: "shelf/list" });
const ping = request({ method: "ping" });
// @ts-expect-error: no id
request({ method: "ping" }, true);
// @ts-expect-error: no such request
request({ method: "pong" });
// @ts-expect-error: a notification
request({ method: "notifications/cancelled", params: { requestId: 1 } });

typed(decodeResponse(find, response))<Place | Place[] | null>();
typed(decodeResponse(sort, response))<SortKey | null | undefined>();
typed(decodeResponse(list, response))<Book[]>();
typed(decodeResponse(ping, response))<undefined>();
expect<Equal<ResponseTo<SortCall>, SortKey | null | undefined>>();

typed(reply(find, null))<RpcResponse>();
reply(find, [{ shelf: 1, from: 2.5 }]);
reply(sort);
reply(sort, null);
reply(ping);
reply(list, []);
// @ts-expect-error: an answer is required
reply(list);
const state = request({ method: "shelf/state" });
for (const result of [null, 0, "", false, [], {}, { a: [null] }]) reply(state, result);
reply(state, null);
// @ts-expect-error: an answer is required, even if null
reply(state);
// @ts-expect-error: undefined is not JSON
reply(state, undefined);
expect<Equal<ResponseTo<StateCall>, {} | null>>();
// @ts-expect-error: null is not a list
reply(list, null);
// @ts-expect-error: the title is missing
reply(list, [{}]);

if (isRequestOf(received, "shelf/count")) {
  reply(received, 3);
  // @ts-expect-error: counts are numbers
  reply(received, "3");
}

typed(refuse(find, "gone", { code: -32002, data: { title: "x" } }))<RpcError>();
refuse(find, "busy");
// @ts-expect-error: codes are numbers
refuse(find, "gone", { code: "-32002" });

try {
  decodeResponse(find, response);
} catch (error) {
  if (error instanceof ControlError) {
    typed(error.code)<number | undefined>();
    typed(error.response)<RpcResponse | RpcError>();
    if (is(error.data, MissingBook)) typed(error.data)<MissingBook>();
  }
}
expect<Equal<ErrorData["shelf/sort"], LockedShelf>>();
expect<Equal<ErrorData["-32002"], MissingBook>>();

const news: RpcNotification = notify({ method: "notifications/progress", params: { token: 1, share: 0.5 } });
encode(news);
encode(cancel(sort));
// @ts-expect-error: a request
notify({ method: "ping" });
// @ts-expect-error: the share is missing
notify({ method: "notifications/progress", params: { token: 1 } });

// A session with ids of two types, notifications and errors with data.

const client = new Session("client");
typed(client.request({ method: "shelf/find", params: { title: "x" } }).id)<RequestId>();
client.request({ method: "ping" }, 7);
// @ts-expect-error: only the server sends this request
client.request({ method: "librarian/ask", params: { title: "x" } });
// @ts-expect-error: only the server sends this notification
client.notify({ method: "notifications/closed" });
typed(client.notify({ method: "notifications/progress", params: { token: 1, share: 0.5 } }))<string>();
typed(new Session("server").notify({ method: "notifications/closed" }))<string>();
const event = client.receive(received);
if (event.event === "request") {
  if (event.kind === "librarian/ask") client.reply(event.envelope, true);
  // @ts-expect-error: the answer is a boolean
  if (event.kind === "librarian/ask") client.reply(event.envelope, "yes");
  if (event.kind === "ping") client.reply(event.envelope);
  client.refuse(event.envelope, "gone", { code: -32002, data: { title: "x" } });
} else if (event.event === "answer" && event.kind === "shelf/find") {
  typed(event.result)<Place | Place[] | null>();
} else if (event.event === "failure") {
  typed(event.code)<number | undefined>();
  if (is(event.data, MissingBook)) typed(event.data)<MissingBook>();
} else if (event.event === "notification") {
  if (event.payload.method === "notifications/progress") typed(event.payload.params.share)<number>();
}
