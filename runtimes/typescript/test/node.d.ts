/** What `src/process.js` needs of Node, whose declarations the runtime does not depend on. */

declare module "node:child_process" {
  export function spawn(program: string, values: readonly string[], options: object): any;
}

declare const process: { readonly env: { readonly [name: string]: string | undefined } };
