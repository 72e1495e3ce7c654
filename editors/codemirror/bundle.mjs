// Bundles the studio's editor, and the licences of all that is in it, into the folder of what pages load.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const vendor = join(import.meta.dirname, "../../interpreter/edict/apps/web/static/vendor");
const built = await build({
  entryPoints: [join(import.meta.dirname, "entry.mjs")],
  outfile: join(vendor, "codemirror.js"),
  bundle: true,
  format: "esm",
  minify: true,
  target: "es2022",
  legalComments: "none",
  metafile: true,
});

const packages = new Set();
for (const input of Object.keys(built.metafile.inputs)) {
  const name = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1];
  if (name) packages.add(name);
}
const texts = new Map();
for (const name of [...packages].sort()) {
  const folder = join(import.meta.dirname, "node_modules", name);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const licence = readFileSync(join(folder, "LICENSE"), "utf8").trim();
  texts.set(licence, [...(texts.get(licence) ?? []), `${name} ${version}`]);
}
const told = [...texts].map(([licence, names]) => `${names.join("\n")}\n\n${licence}`);
writeFileSync(join(vendor, "codemirror.LICENSE.txt"), `${["What codemirror.js is made of.", ...told].join("\n\n---\n\n")}\n`);
