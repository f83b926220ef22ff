// TypeScript declarations → shapes of what some roots lead to, for `typescript.py`.

import { LIB, load, Reader, serve } from "./reader.mjs";

serve(() => {
  const { ts, program } = load({ lib: LIB });
  return new Reader(ts, program).run();
});
