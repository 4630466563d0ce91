/** Bodies that a user gives: they run at once, and whole. */
import type { Position, Stmt } from "../ir/circuit.ts";
import { context, refuse, report, verilogName, withBlock } from "./context.ts";

const has = (v: unknown, method: string): boolean =>
  typeof v === "object" && v !== null && typeof (v as Record<string, unknown>)[method] === "function";

const refusal = (what: string, body: unknown): readonly [code: string, message: string, fix: string] => {
  const got = body === undefined || body === null ? String(body) : `a ${typeof body}`;
  return [
    "HDL125",
    `${what} is ${got}, not a function: what stands there ran before, whatever the condition`,
    "Write an arrow before it: () => { ... }",
  ];
};

/** What a body gave back must not be something that goes on later. */
function checkResult(what: string, result: unknown, at?: Position): void {
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

/**
 * Runs a body given to the language. A body that has run already (`when(c, y.set(1))`) and one that would go on later
 * are errors: nothing of them would be where it was written.
 */
export function runBody(what: string, body: unknown, at?: Position): void {
  if (typeof body !== "function") report(...refusal(what, body), undefined, at);
  else checkResult(what, (body as () => unknown)(), at);
}

/** As `runBody`, for a body that gives a value to its caller: without a function there is none to go on with. */
export function valueOfBody<T>(what: string, body: () => T): T {
  if (typeof body !== "function") refuse(...refusal(what, body));
  const result = body();
  checkResult(what, result);
  return result;
}

/** As `runBody`, the statements going to `block`. */
export function runBodyIn(block: Stmt[], what: string, body: unknown): void {
  withBlock(block, () => runBody(what, body));
}

/**
 * Everything declared in `f` is named `prefix_name`: for a function that builds a piece of a module and may
 * be called twice.
 */
export function scope<T>(prefix: string, f: () => T): T {
  const c = context(),
    outer = c.prefix;
  c.prefix = verilogName(prefix);
  try {
    return valueOfBody("the body of scope", f);
  } finally {
    c.prefix = outer;
  }
}
