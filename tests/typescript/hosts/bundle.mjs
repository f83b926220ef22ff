/**
 * Bundles modules for browsers, each as one minified script: `entry.mjs` of a folder as its `bundle.js`.
 *
 *     bundle.mjs esbuild|rollup|webpack FOLDER …
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import * as esbuild from "esbuild-wasm";

const [bundler, ...folders] = process.argv.slice(2);

const BUNDLERS = {
  async esbuild(input) {
    const options = { bundle: true, minify: true, format: "iife", write: false, logLevel: "error" };
    return (await esbuild.build({ entryPoints: [input], ...options })).outputFiles[0].text;
  },
  async rollup(input) {
    const { rollup } = await import("@rollup/wasm-node");
    const onwarn = ({ message }) => {
      throw new Error(message);
    };
    const { output: made } = await (await rollup({ input, onwarn })).generate({ format: "iife" });
    // rollup does not include a minifier, so names are shortened by esbuild
    return (await esbuild.transform(made[0].code, { minify: true })).code;
  },
  async webpack(input) {
    const { default: webpack } = await import("webpack");
    const folder = mkdtempSync(path.join(tmpdir(), "bundle-"));
    const options = { mode: "production", entry: input, output: { path: folder, filename: "out.js" }, target: "web" };
    const done = await new Promise((resolve, reject) => {
      webpack({ ...options, performance: false }, (error, stats) => (error ? reject(error) : resolve(stats)));
    });
    if (done.hasErrors() || done.hasWarnings()) throw new Error(done.toString());
    const made = readFileSync(path.join(folder, "out.js"), "utf8");
    rmSync(folder, { recursive: true });
    return made;
  },
};

for (const folder of folders) {
  writeFileSync(path.join(folder, "bundle.js"), await BUNDLERS[bundler](path.join(folder, "entry.mjs")));
}
