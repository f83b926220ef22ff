/** The file that `import` takes of a package: what its `exports` say for it, however deep the conditions are nested. */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export function entry(folder) {
  let target = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).exports["."];
  while (typeof target !== "string") target = target.import ?? target.default;
  return resolve(folder, target);
}
