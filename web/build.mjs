// Builds the script of the page into the Python package: `npm run build`.
//
// Out: `page.js`, one file that a page has inside it, and `LICENSES.txt` with the licence of every
// package that is bundled. The build fails if a bundled package has no licence text, or if the
// script could not stand in a page.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, "..", "src", "sculpt", "views", "static");

const result = await build({
  absWorkingDir: here,
  entryPoints: ["src/page.ts"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  charset: "utf8",
  legalComments: "none",
  metafile: true,
  write: false,
});

const script = result.outputFiles[0].text;
if (/<\/script|<!--/i.test(script)) {
  throw new Error("the script has `</script` or `<!--` in it, and could not stand in a page");
}

const packages = new Set();
for (const input of Object.keys(result.metafile.inputs)) {
  const found = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
  if (found) packages.add(found[1]);
}

const licences = [
  "page.js is built from the folder `web` of Sculpt, which is under the Apache License 2.0.",
];
if (packages.size === 0) licences.push("It has no code of other packages.");
for (const name of [...packages].sort()) {
  const root = join(here, "node_modules", name);
  const file = readdirSync(root).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} is bundled, but has no licence text`);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  licences.push(`${name} ${version}\n\n${readFileSync(join(root, file), "utf8").trim()}`);
}

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "page.js"), script);
writeFileSync(join(folder, "LICENSES.txt"), `${licences.join("\n\n")}\n`);
console.log(`page.js: ${script.length.toLocaleString("en")} characters`);
