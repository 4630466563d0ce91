import { CommanderError } from "commander";
import { CheckFailed, exitCode, type ExitCode, UsageError } from "../designs/shared/command-line/index.ts";

/** The user's view of an error. */
export interface Failure {
  readonly code: ExitCode;
  readonly message: string;
}

/** Meaning of the system's error codes for a user who gave a file name, and what he can do. */
const systemReasons: Readonly<Partial<Record<string, string>>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "access is denied; name another place, or change its rights",
  EPERM: "access is denied; name another place, or change its rights",
  EISDIR: "it is a folder; name a file",
  ENOTDIR: "a part of the path is no folder; name another place",
  ENOSPC: "the disk is full; make room, or name another place",
  EROFS: "the file system is read-only; name another place",
  ENAMETOOLONG: "the name is too long; give it a shorter one",
  ELOOP: "its links lead in a circle; name the file itself",
  EEXIST: "a file of that name exists; name another folder, or remove the file",
};

function systemFailure(error: NodeJS.ErrnoException): Failure | undefined {
  const reason = systemReasons[error.code ?? ""];
  if (reason === undefined || error.path === undefined) return undefined;
  const deed = error.syscall === "open" && error.code !== "ENOSPC" ? "open" : "use";
  return { code: exitCode.usage, message: `cannot ${deed} ${error.path}: ${reason}` };
}

/** Commander puts its suggestion on a second line, and "error:" before it. */
const oneLine = (message: string): string =>
  message
    .replace(/^error: /, "")
    .replace(/\s*\n\s*/g, " ")
    // What a file or an option says stands in the sentence: it may not steer the terminal.
    .replace(/\p{Cc}/gu, c => `\\x${(c.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`);

/**
 * The one place where errors become messages and exit codes. A class of another layer is only loaded when something was
 * thrown, so that `--help` does not wait for the simulator. A refusal by a design is a UsageError of its own kind.
 */
export async function describeError(error: unknown): Promise<Failure> {
  const usage = (e: Error): Failure => ({ code: exitCode.usage, message: `mnemo: ${oneLine(e.message)}` });
  const failed = (e: Error): Failure => ({ code: exitCode.failed, message: `mnemo: ${e.message}` });
  if (!(error instanceof Error)) return { code: exitCode.failed, message: `mnemo: internal error: ${String(error)}` };
  if (error instanceof CommanderError || error instanceof UsageError) return usage(error);
  if (error instanceof CheckFailed) return failed(error);
  const system = systemFailure(error);
  if (system !== undefined) return { ...system, message: `mnemo: ${oneLine(system.message)}` };

  const [{ HdlError }, sim] = await Promise.all([import("../hdl-dsl/index.ts"), import("../sim/index.ts")]);
  if (error instanceof HdlError) return failed(error);
  if ([sim.HangError, sim.ProtocolError, sim.DesignStopped, sim.TimeoutError].some(c => error instanceof c))
    return failed(error);
  if (error instanceof sim.SimulationError) return usage(error);
  return {
    code: exitCode.failed,
    message: `mnemo: internal error: ${error.message} (MNEMO_DEBUG=1 shows where; please report it)`,
  };
}
