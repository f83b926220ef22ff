// The compiler can name the exports of a library in its declarations without annotations.

import {
  ContentBlock,
  SDKMessage,
  decode,
  examine,
  isAssistant,
  isUnknown,
  NULLS,
  request,
  type ContentBlockOrUnknown,
} from "agentlines";

export const read = (line: string) => decode(line);
export const look = (line: string) => examine(line, SDKMessage);
export const tag = (block: ContentBlockOrUnknown) => (isUnknown(block, ContentBlock) ? block.type : undefined);
export const fields = (message: ReturnType<typeof read>) => (isUnknown(message) ? message : undefined);
export const assistants = (lines: string[]) => lines.map(read).filter(isAssistant);
export const interrupt = () => request({ subtype: "interrupt" });
export const nulls = (value: { [NULLS]?: string[] }) => value[NULLS];
export const key = NULLS;
