// TypeScript declarations → shapes of what some roots lead to, for `typescript.py`.

import { load, Reader, serve } from "./reader.mjs";

serve(() => {
  const { ts, program } = load();
  return new Reader(ts, program).run();
});
