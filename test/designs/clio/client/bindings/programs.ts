import { execFile, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseIpv4 } from "../../../../../designs/shared/wire/index.ts";
import { projectFolder } from "../../../../../sim/index.ts";

export const pythonFolder = join(projectFolder(), "designs/clio/client/python"),
  cFolder = join(projectFolder(), "designs/clio/client/c");

/** Whether a tool is there; otherwise says which tests are left out. */
export function has(tool: string, ...probe: readonly string[]): boolean {
  const found = spawnSync(tool, probe).status === 0;
  if (!found) console.log(`skipped: ${tool} ${probe.join(" ")} fails, so its client is not tested here`);
  return found;
}

/** Runs a program while this process serves. @returns what it prints @throws with what it prints when it fails */
export function output(
  command: string,
  args: readonly string[],
  o: { readonly env?: Readonly<Record<string, string>>; readonly input?: string; readonly folder?: string } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      command,
      [...args],
      { env: { ...process.env, ...o.env }, cwd: o.folder },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${command} ${args.join(" ")}: ${error.message}\n${stdout}${stderr}`));
        else resolve(stdout);
      },
    );
    child.stdin?.end(o.input ?? "");
  });
}

/** A program of this folder, or of a path, with the client of `folder`. */
export function python(
  program: string,
  args: readonly string[],
  { folder = pythonFolder, input = "" }: { readonly folder?: string; readonly input?: string } = {},
): Promise<string> {
  const path = program.startsWith("/") ? program : join(projectFolder(), "test/designs/clio/client/python", program);
  return output("python3", [path, ...args], { env: { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1" }, input });
}

/** Gives `body` a new folder, which is gone afterwards. */
export async function withFolder<T>(body: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-client-"));
  try {
    return await body(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A copy of `source` in which one place of a file has another text. @throws when the place is not there just once */
export function planted(source: string, copy: string, file: string, from: string, to: string): string {
  cpSync(source, copy, { recursive: true });
  const path = join(copy, file),
    text = readFileSync(path, "utf8");
  if (text.split(from).length !== 2) throw new Error(`"${from}" does not stand once in ${file}`);
  writeFileSync(path, text.replace(from, to));
  return copy;
}

/** The first program of docs/clio/serve.md in a language, for a node at another address. */
export function firstProgram(language: string, node: string): string {
  const page = readFileSync(join(projectFolder(), "docs/clio/serve.md"), "utf8"),
    program = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1];
  const here = /127\.0\.0\.1|0x7f000001/g;
  if (program === undefined || !here.test(program)) throw new Error(`no program in ${language} names 127.0.0.1`);
  return program.replace(here, found => (found.startsWith("0x") ? String(parseIpv4(node)) : node));
}
