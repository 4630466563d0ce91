/** A project of a user's own, in an empty folder, with nothing but what `npm pack` gives. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/**
 * npm's variables about the scripts' own project would mislead an npm for another one; settings (registry, cache) stay.
 */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([k]) => !/^(?:npm_(?:config_local_prefix|package_|lifecycle_).*|INIT_CWD|VITEST.*|NODE_ENV)$/i.test(k),
  ),
);

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end. */
export function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = environment,
): Promise<Outcome> {
  return new Promise(done => {
    execFile(program, [...args], { cwd, env, maxBuffer: 1 << 26 }, (error, out, err) => {
      done({ code: error === null ? 0 : typeof error.code === "number" ? error.code : 1, out, err });
    });
  });
}

async function succeed(program: string, args: readonly string[], cwd: string): Promise<string> {
  const r = await run(program, args, cwd);
  if (r.code !== 0) throw new Error(`${program} ${args.join(" ")} failed:\n${r.out}${r.err}`);
  return r.out;
}

export class Project {
  readonly folder = mkdtempSync(join(tmpdir(), "mnemo-user-"));

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }
  /** Runs Node in the project. */
  node(...args: readonly string[]): Promise<Outcome> {
    return run(process.execPath, args, this.folder);
  }
  /** Runs Node in the project, whose benches run in Verilator. */
  verilator(...args: readonly string[]): Promise<Outcome> {
    return run(process.execPath, args, this.folder, { ...environment, MNEMO_BACKEND: "verilator" });
  }
  /** Runs a program in the project on a machine that has Node and a shell, and nothing else. */
  bare(program: string, ...args: readonly string[]): Promise<Outcome> {
    const bin = join(this.folder, "bare-bin");
    if (!existsSync(bin)) {
      mkdirSync(bin);
      symlinkSync(process.execPath, join(bin, "node"));
      symlinkSync("/bin/sh", join(bin, "sh"));
      symlinkSync("/usr/bin/env", join(bin, "env"));
    }
    return run(program, args, this.folder, { ...environment, PATH: bin });
  }
  tsc(...args: readonly string[]): Promise<Outcome> {
    return this.node("node_modules/typescript/bin/tsc", ...args);
  }
  /** The package's command, as `npx mnemo` finds it. */
  mnemo(...args: readonly string[]): Promise<Outcome> {
    return run(join(this.folder, "node_modules/.bin/mnemo"), args, this.folder);
  }

  /** Installs packages, from npm's cache where it has them. */
  async add(...packages: readonly string[]): Promise<void> {
    await succeed("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", ...packages], this.folder);
  }

  /** Packs the repository into the project. @returns the tarball's path and its files' names */
  async pack(): Promise<Packed> {
    const [packed] = JSON.parse(await succeed("npm", ["pack", "--json", "--pack-destination", this.folder], root)) as {
      readonly filename: string;
      readonly size: number;
      readonly files: readonly { readonly path: string }[];
    }[];
    if (packed === undefined) throw new Error("npm pack made nothing");
    return { tarball: join(this.folder, packed.filename), files: packed.files.map(f => f.path), size: packed.size };
  }

  /** Installs the tarball in an empty project, with other packages beside it. */
  async begin(tarball: string, ...packages: readonly string[]): Promise<void> {
    this.write("package.json", JSON.stringify({ name: "my-hardware", private: true, type: "module" }));
    await this.add(tarball, ...packages);
  }
}

export interface Packed {
  readonly tarball: string;
  readonly files: readonly string[];
  /** Bytes of the tarball. */
  readonly size: number;
}
