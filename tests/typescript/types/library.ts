// The compiler can name the exports of a library in its declarations without annotations: of code that infers, spreads,
// leaves out, maps, destructures, and keeps messages in a store's state.

import {
  ContentBlock,
  SDKMessage,
  decode,
  define,
  encode,
  examine,
  isAssistant,
  isUnknown,
  NULLS,
  request,
  Session,
  type Closed,
  type ContentBlockOrUnknown,
  type Options,
  type SDKControlInitializeRequest,
  type SDKMessageOrUnknown,
  type SDKUserMessage,
  type Types,
  type Unknown,
  type ValueOf,
} from "agentlines";

// Inferred results.
export const read = (line: string) => decode(line);
export const strictly = (line: string) => decode(line, SDKMessage, { strict: true });
export const look = (line: string) => examine(line, SDKMessage);
export const tag = (block: ContentBlockOrUnknown) => (isUnknown(block, ContentBlock) ? block.type : undefined);
export const fields = (message: ReturnType<typeof read>) => (isUnknown(message) ? message : undefined);
export const assistants = (lines: string[]) => lines.map(read).filter(isAssistant);
export const interrupt = () => request({ subtype: "interrupt" });
export const nulls = (value: { [NULLS]?: string[] }) => value[NULLS];
export const key = NULLS;
export const session = () => new Session("sdk");
export const event = (message: SDKMessage) => session().receive(message);

// Spread, rest and destructuring, of unions, of Unknowns and of types with members that differ in new objects.
export const numbered = (message: SDKMessageOrUnknown, number: number) => ({ ...message, number });
export const started = (asked: SDKControlInitializeRequest) => ({ ...asked, at: 0 });
export const closed = (asked: Closed<SDKControlInitializeRequest>) => ({ ...asked, at: 0 });
export const unknown = (value: Unknown) => ({ ...value, at: 0 });
export const untagged = ({ type, ...rest }: SDKMessageOrUnknown) => [type, rest] as const;
export const without = ({ subtype, ...rest }: SDKControlInitializeRequest) => [subtype, rest] as const;
export const { decode: again, encode: written } = { decode, encode };
export const parts = ({ message: { content }, ...rest }: SDKUserMessage) => ({ content, rest });

// Mapped, partial and picked types.
export const draft = (message: Partial<SDKUserMessage>) => ({ ...message });
export const flags = <T extends SDKMessageOrUnknown>(message: T) =>
  Object.fromEntries(Object.keys(message).map((name) => [name, true])) as { [K in keyof T]: boolean };
export const flagged = (message: SDKMessageOrUnknown) => flags(message);
export const frozen = (options: Options) => Object.freeze({ ...options });
export const picked = (asked: Pick<SDKControlInitializeRequest, "subtype">) => ({ ...asked });
export const byName = <K extends keyof Types>(name: K, value: Types[K]) => ({ [name]: value });
export type Deep<T> = T extends object ? { readonly [K in keyof T]: Deep<T[K]> } : T;
export const each = (message: SDKMessageOrUnknown) => {
  return message as Deep<SDKMessageOrUnknown>;
};

// A record of the program's own, and a class that extends one of the package.
export const Stored = define.record("Stored", { id: define.uuid, message: SDKMessage, "seen?": define.timestamp });
export const stored = (line: string) => decode(line, Stored);
export const reduced = (values: ValueOf<typeof Stored>[]) => values.map(({ message }) => message);
export class Client extends Session<"sdk"> {
  constructor() {
    super("sdk");
  }
  last = (message: SDKMessage) => this.receive(message);
}

// A store of messages, as Redux Toolkit types one: the draft of a state, actions made from reducers, and selectors.
export type Draft<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends object
    ? WritableDraft<T>
    : T;
export type WritableDraft<T> = { -readonly [K in keyof T]: Draft<T[K]> };
type Reducers<S> = { [name: string]: (state: Draft<S>, action: { payload: never }) => S | Draft<S> | void };
type Payload<R> = R extends (state: never, action: { payload: infer P }) => unknown ? P : never;
function slice<S, R extends Reducers<S>>(name: string, initial: S, reducers: R) {
  const actions = Object.fromEntries(
    Object.keys(reducers).map((type) => [type, (payload: unknown) => ({ type: `${name}/${type}`, payload })]),
  ) as { [K in keyof R & string]: (payload: Payload<R[K]>) => { type: `${string}/${K}`; payload: Payload<R[K]> } };
  return { actions, initial, reducers, select: <T>(of: (state: S) => T) => of };
}
export const initial = {
  messages: [] as SDKMessageOrUnknown[],
  byId: {} as Record<string, SDKMessage>,
  draft: undefined as Partial<SDKUserMessage> | undefined,
  options: {} as Closed<Options>,
};
export const messages = slice("messages", initial, {
  received: (state, action: { payload: SDKMessageOrUnknown }) => void state.messages.push(action.payload),
  edited: (state, action: { payload: Partial<SDKUserMessage> }) => ({ ...state, draft: action.payload }),
});
export const { received, edited } = messages.actions;
export const selectAssistants = messages.select(({ messages }) => messages.filter(isAssistant));
export const selectUnknown = messages.select((state) => state.messages.filter((each) => isUnknown(each)));
export const selectTypes = messages.select(({ messages }) => messages.map(({ type }) => type));
