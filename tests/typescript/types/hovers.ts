// What an editor shows for the expressions that stand alone on a line.

import { isUnknown, type Closed, type PermissionMode, type SDKMessageOrUnknown, type SDKUserMessage } from "agentlines";

declare const one: SDKMessageOrUnknown;
declare const other: SDKMessageOrUnknown;
declare const mode: Closed<PermissionMode>;
declare const mine: Closed<SDKUserMessage>;

one;
one.type;
if (isUnknown(other)) {
  other.type;
}
mode;
mine;
mine.message;
