/** Bodies that a user gives: they run at once, and whole. */
import type { Position, Stmt } from "../ir/circuit.ts";
import { report, withBlock } from "./context.ts";

const has = (v: unknown, method: string): boolean =>
  typeof v === "object" && v !== null && typeof (v as Record<string, unknown>)[method] === "function";

/**
 * Runs a body given to the language. A body that has run already (`when(c, y.set(1))`) and one that would go on later
 * are errors: nothing of them would be where it was written.
 */
export function runBody(what: string, body: unknown, at?: Position): void {
  if (typeof body !== "function") {
    const got = body === undefined || body === null ? String(body) : `a ${typeof body}`;
    report(
      "HDL125",
      `${what} is ${got}, not a function: what stands there ran before, whatever the condition`,
      "Write an arrow before it: () => { ... }",
      undefined,
      at,
    );
    return;
  }
  const result: unknown = (body as () => unknown)();
  if (has(result, "then")) {
    // What comes after its first `await` fails outside of the module: it has been told here.
    void (result as Promise<unknown>).then(undefined, () => undefined);
    report(
      "HDL125",
      `${what} is asynchronous: what comes after an await would run when the module is finished`,
      "Leave async out: await what it needs before the module is made",
      undefined,
      at,
    );
  } else if (has(result, "next"))
    report(
      "HDL125",
      `${what} is a generator, which runs only when somebody asks it for values`,
      "Write a plain function",
      undefined,
      at,
    );
}

/** As `runBody`, the statements going to `block`. */
export function runBodyIn(block: Stmt[], what: string, body: unknown): void {
  withBlock(block, () => runBody(what, body));
}
