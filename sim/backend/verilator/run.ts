import { spawn } from "node:child_process";
import { BuildError } from "../../errors.ts";

/**
 * Runs a tool to its end. @returns standard output. @throws BuildError with the start of what it printed when it fails.
 */
export function run(command: string, args: readonly string[], cwd: string, doing: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let out = "",
      err = "";
    child.stdout.on("data", (d: Buffer) => {
      out += d.toString();
    });
    child.stderr.on("data", (d: Buffer) => {
      err += d.toString();
    });
    child.on("error", e => reject(new BuildError(`${doing}: ${command} could not be started (${e.message})`)));
    child.on("close", code => {
      if (code === 0) resolve(out);
      else reject(new BuildError(`${doing} failed:\n${(err + out).trim().slice(0, 4000)}`));
    });
  });
}
