/** A page in a headless Chromium, driven over its debugging pipe. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";

export interface Page {
  /** Value of an expression in the page; promises are awaited. @throws with the page's own error */
  readonly evaluate: (expression: string) => Promise<unknown>;
  readonly size: (width: number, height: number) => Promise<void>;
  /** PNG of what is seen. */
  readonly picture: () => Promise<Buffer>;
  /** A command of the debugging protocol, as keys and mouse need it. */
  readonly send: (method: string, params: object) => Promise<unknown>;
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** The browser's helpers may write for a moment after it has ended. */
async function removeProfile(folder: string): Promise<void> {
  for (let tries = 0; ; tries++)
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (e) {
      if (tries === 30) throw e;
      await new Promise(r => setTimeout(r, 100));
    }
}

/** Opens an address and drives it. */
export async function withPage<T>(
  program: string,
  address: string,
  scheme: "light" | "dark",
  body: (p: Page) => Promise<T>,
): Promise<T> {
  const profile = mkdtempSync(join(tmpdir(), "mnemo-page-"));
  const child = spawn(
    program,
    [
      ...["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe"],
      ...["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
      `--user-data-dir=${profile}`,
      `--blink-settings=preferredColorScheme=${scheme === "dark" ? 0 : 1}`,
    ],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
  );
  try {
    // What goes out is read on descriptor 3, answers come on 4, a zero byte after each.
    const out = child.stdio[3] as Writable,
      waiting = new Map<number, (answer: Answer) => void>();
    let last = 0,
      rest = "";
    (child.stdio[4] as Readable).on("data", (d: Buffer) => {
      const parts = (rest + d.toString()).split("\0");
      rest = parts.pop() ?? "";
      for (const text of parts) {
        const m = JSON.parse(text) as Answer & { readonly id?: number };
        if (m.id !== undefined) waiting.get(m.id)?.(m);
      }
    });
    const ended = new Promise<never>((_ok, fail) => {
      child.on("error", fail).on("exit", code => fail(new Error(`the browser ended with ${code ?? "a signal"}`)));
    });
    ended.catch(() => undefined);
    const send = <R>(method: string, params: object, sessionId?: string): Promise<R> =>
      Promise.race([
        ended,
        new Promise<R>((done, fail) => {
          waiting.set(++last, m =>
            m.error === undefined ? done(m.result as R) : fail(new Error(`${method}: ${m.error.message}`)),
          );
          out.write(`${JSON.stringify({ id: last, method, params, ...(sessionId && { sessionId }) })}\0`);
        }),
      ]);
    const { targetId } = await send<{ readonly targetId: string }>("Target.createTarget", { url: address });
    const { sessionId } = await send<{ readonly sessionId: string }>("Target.attachToTarget", {
      targetId,
      flatten: true,
    });
    const ask = <R>(method: string, params: object): Promise<R> => send(method, params, sessionId);
    const page: Page = {
      evaluate: async expression => {
        const { result, exceptionDetails } = await ask<{
          readonly result: { readonly value?: unknown };
          readonly exceptionDetails?: { readonly exception?: { readonly description?: string } };
        }>("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
        if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? "failed");
        return result.value;
      },
      size: async (width, height) => {
        await ask("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
      },
      picture: async () =>
        Buffer.from((await ask<{ readonly data: string }>("Page.captureScreenshot", {})).data, "base64"),
      send: ask,
    };
    return await body(page);
  } finally {
    const gone = new Promise(r => child.on("exit", r));
    child.kill();
    await gone;
    await removeProfile(profile);
  }
}
