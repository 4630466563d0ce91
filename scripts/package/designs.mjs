/** A package for each design, made of dist/: its JavaScript, its sources, and a manifest that says what it needs. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { filesBelow } from "./assets.mjs";
import { packagesOf, withPackageNames } from "./specifiers.mjs";

/** @param {string} root @returns {string[]} the designs that are packages */
export const packagedDesigns = root =>
  readdirSync(join(root, "designs"))
    .filter(d => existsSync(join(root, `designs/${d}/design.ts`)))
    .sort();

/**
 * What is read of the repository's manifest.
 * @typedef {{
 *   readonly version: string, readonly license: string, readonly engines: object,
 *   readonly dependencies: Readonly<Record<string, string>>,
 *   readonly browser: Readonly<Record<string, string | false>>,
 * }} Manifest
 */

/**
 * The imports of a design's compiled files by name, written back.
 * @param {string} folder of the package @param {string} dist @param {string} design
 * @returns {Set<string>} the packages that it needs
 */
function renamed(folder, dist, design) {
  /** @type {Set<string>} */
  const needs = new Set();
  const own = join(folder, `dist/designs/${design}`);
  for (const file of filesBelow(own).filter(f => /\.(?:js|mjs|d\.ts)$/.test(f))) {
    const text = withPackageNames(
      readFileSync(file, "utf8"),
      join(dist, file.slice(join(folder, "dist").length)),
      dist,
    );
    writeFileSync(file, text);
    for (const name of packagesOf(text)) needs.add(name);
  }
  return needs;
}

/** @param {string} design @param {string} dist @returns {Record<string, unknown>} what a user imports */
function exportsOf(design, dist) {
  const base = `./dist/designs/${design}`;
  const main = ["rtl", "node", "rig"].find(part => existsSync(join(dist, `designs/${design}/${part}/index.js`)));
  /** @param {string} path */
  const at = path => ({ types: `${path}.d.ts`, default: `${path}.js` });
  return {
    ...(main !== undefined && { ".": at(`${base}/${main}/index`) }),
    "./design": at(`${base}/design`),
    // For declarations alone, whose compiler names the files that types come from.
    "./types/*": { types: "./dist/*.d.ts" },
    "./*": at(`${base}/*/index`),
    "./package.json": "./package.json",
  };
}

/** @param {string} design @param {string} title @returns {string} */
const readme = (design, title) => `# mnemosyne-${design}

${title[0]?.toUpperCase()}${title.slice(1)}, for \`mnemosyne\`.

\`npm i mnemosyne mnemosyne-${design}\` brings it; \`npx mnemo --help\` then names it among the designs.
`;

/**
 * Writes the package's folder.
 * @param {string} root the repository's folder @param {string} into where the packages' folders are
 * @param {string} design @returns {Promise<string>} the folder
 */
export async function designPackage(root, into, design) {
  const name = `mnemosyne-${design}`,
    folder = join(into, name),
    dist = join(root, "dist");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const part of [
    `dist/designs/${design}`,
    `designs/${design}`,
    `dist/examples/${design}`,
    `dist/constraints/baseline/${design}`,
  ])
    if (existsSync(join(root, part))) cpSync(join(root, part), join(folder, part), { recursive: true });
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  const needs = renamed(folder, dist, design);
  /** @type {unknown} */
  const manifestOfAll = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { version, license, engines, dependencies, browser } = /** @type {Manifest} */ (manifestOfAll);
  /** @type {unknown} */
  const loaded = await import(join(root, `dist/designs/${design}/design.js`));
  const [one] = Object.values(/** @type {Record<string, { readonly title: string }>} */ (loaded)),
    title = one?.title ?? design;
  const peers = [...needs].filter(n => n.startsWith("mnemosyne") && n !== name).sort(),
    others = Object.keys(dependencies).filter(n => needs.has(n));
  const ours = Object.entries(browser).filter(([from]) => from.startsWith(`./dist/designs/${design}/`));
  const manifest = {
    ...{ name, version, description: title, license, type: "module", engines },
    exports: exportsOf(design, dist),
    ...(ours.length > 0 && { browser: Object.fromEntries(ours) }),
    // What `mnemo` looks for in the packages of a project (cli/installed-designs.ts).
    mnemosyne: { design: `./dist/designs/${design}/design.js` },
    peerDependencies: Object.fromEntries(peers.map(n => [n, version])),
    dependencies: Object.fromEntries(others.map(n => [n, dependencies[n]])),
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(folder, "README.md"), readme(design, title));
  return folder;
}
