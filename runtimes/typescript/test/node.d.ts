/** The parts of Node that `src/process.js` uses; the runtime does not depend on Node's declarations. */

declare module "node:child_process" {
  export function spawn(program: string, values: readonly string[], options: object): any;
}

declare const process: { readonly env: { readonly [name: string]: string | undefined } };
