import { spawn } from "node:child_process";
import { root } from "./paths.mjs";

/**
 * Runs a program in the project's folder, on this terminal.
 * @param {string} program
 * @param {readonly string[]} args
 * @returns {Promise<number>} its exit code; 128 + the signal's number when a signal ended it, as shells have it
 */
export function execute(program, args) {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { cwd: root, stdio: "inherit" });
    // The terminal sends its signals to the whole group: wait for the child to end in its own way.
    const ignore = () => undefined;
    for (const s of /** @type {const} */ (["SIGINT", "SIGTERM"])) process.on(s, ignore);
    child.on("error", fail);
    child.on("exit", (code, signal) => done(code ?? 128 + (signal === "SIGINT" ? 2 : signal === "SIGKILL" ? 9 : 15)));
  });
}
