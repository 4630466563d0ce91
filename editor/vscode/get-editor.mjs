// An editor to test the extension in: `node editor/vscode/get-editor.mjs <folder>` installs VS Code's server build
// from the npm registry there, about 400 MB. It prints the program for MNEMO_CODE_SERVER (docs/editor.md).
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

// The last series that runs with Node 20.
const wanted = "code-server@4.100.3",
  folder = process.argv[2];
if (folder === undefined) {
  console.error("usage: node editor/vscode/get-editor.mjs <folder>");
  process.exit(2);
}
/** @param {string} cwd @param {readonly string[]} args */
const npm = (cwd, ...args) => execFileSync("npm", args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
// What is compiled needs Node's headers; where they stand beside the program nothing is fetched for them.
const prefix = dirname(dirname(process.execPath)),
  headers = existsSync(join(prefix, "include/node/node_api.h")) ? [`--nodedir=${prefix}`] : [];

const inside = join(resolve(folder), "node_modules/code-server"),
  code = join(inside, "lib/vscode"),
  program = join(inside, "out/node/entry.js");
if (!existsSync(join(code, "node_modules.asar"))) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  // Scripts are left out: some fetch programs from outside the registry (ripgrep), and the terminal is not used here.
  npm(folder, "install", "--ignore-scripts", wanted);
  npm(folder, "rebuild", "argon2", "--build-from-source", ...headers);
  npm(code, "install", "--ignore-scripts", "--omit=dev");
  for (const native of ["@vscode/spdlog", "native-watchdog"]) npm(code, "rebuild", native, ...headers);
  npm(join(code, "extensions"), "install", "--ignore-scripts", "--omit=dev");
  rmSync(join(code, "node_modules.asar"), { force: true });
  symlinkSync("node_modules", join(code, "node_modules.asar"));
}
console.log(program);
