/** VS Code's workbench in a headless Chromium: the server build of it, with the packaged extension installed. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Page, withPage } from "../playground/devtools.ts";

const { MNEMO_CODE_SERVER: server = "", MNEMO_SCREENSHOTS: kept = "" } = process.env;

export const sleep = (ms: number): Promise<void> => new Promise(r => setTimeout(r, ms));

/** What a person sees and does. */
export interface Workbench {
  readonly page: Page;
  /** A command of the palette, by its title. */
  readonly command: (title: string) => Promise<void>;
  /** The middle of the element that an expression gives, once there is one. */
  readonly click: (element: string) => Promise<void>;
  /** Text at the cursor. */
  readonly type: (text: string) => Promise<void>;
  /** A key by its name; modifiers are 2 for Ctrl, 8 for Shift. */
  readonly key: (name: string, code: number, modifiers?: number) => Promise<void>;
  /** Puts the mouse over a word, in the first line with a part, until an expression is true. */
  readonly over: (word: string, part: string, seen: string) => Promise<void>;
  /** Puts the cursor there, and selects the word. */
  readonly choose: (word: string, part: string) => Promise<void>;
  /** Waits for an expression's value to be truthy. */
  readonly until: <T>(expression: string) => Promise<T>;
  /** Keeps a picture where MNEMO_SCREENSHOTS names a folder. */
  readonly keep: (name: string) => Promise<void>;
}

const freePort = (): Promise<number> =>
  new Promise((done, fail) => {
    const probe = createServer();
    probe.on("error", fail).listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        address === null || typeof address === "string" ? fail(new Error("no port")) : done(address.port),
      );
    });
  });

/** Where a word is seen, in the first line with a part of it; an expression. */
const wordAt = (text: string, part: string): string => `(() => {
  for (const line of document.querySelectorAll(".view-line")) {
    if (!line.textContent.replaceAll("\\u00a0", " ").includes(${JSON.stringify(part)})) continue;
    const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    for (let node; (node = walk.nextNode()); ) {
      const from = node.data.search(/\\b${text}\\b/);
      if (from < 0) continue;
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, from + ${text.length});
      const box = range.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    }
  }
  return null;
})()`;

function workbenchOf(page: Page): Workbench {
  const keep = async (name: string): Promise<void> => {
    if (kept === "") return;
    mkdirSync(kept, { recursive: true });
    writeFileSync(join(kept, `vscode-${name}.png`), await page.picture());
  };
  const until = async <T>(expression: string): Promise<T> => {
    for (let tries = 0; ; tries++) {
      if (tries === 800) {
        await keep("stuck");
        throw new Error(`never seen: ${expression}`);
      }
      const value = await page.evaluate(expression);
      // The expression says what it gives.
      if (value !== undefined && value !== null && value !== false && value !== "") return value as T;
      await sleep(50);
    }
  };
  const key = async (name: string, code: number, modifiers = 0): Promise<void> => {
    for (const type of ["keyDown", "keyUp"])
      await page.send("Input.dispatchKeyEvent", {
        type,
        key: name,
        code: name,
        windowsVirtualKeyCode: code,
        modifiers,
      });
  };
  const type = async (text: string): Promise<void> => {
    await page.send("Input.insertText", { text });
  };
  const press = async (place: string, times = 1): Promise<void> => {
    const [x, y] = await until<[number, number]>(place);
    for (let clickCount = 1; clickCount <= times; clickCount++)
      for (const type of ["mousePressed", "mouseReleased"])
        await page.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount });
  };
  const click = (element: string): Promise<void> =>
    press(`(() => {
      const box = ${element}?.getBoundingClientRect();
      return box && [box.x + box.width / 2, box.y + box.height / 2];
    })()`);
  return {
    page,
    until,
    click,
    key,
    type,
    command: async title => {
      await key("F1", 112);
      await until(
        'document.querySelector(".quick-input-widget:not([style*=\\"display: none\\"]) input") === document.activeElement',
      );
      await type(title);
      await click(
        `[...document.querySelectorAll(".quick-input-list .monaco-list-row")].find(row => {
          const label = row.getAttribute("aria-label");
          return label === ${JSON.stringify(title)} || label?.startsWith(${JSON.stringify(`${title}, `)});
        })`,
      );
    },
    choose: (word, part) => press(wordAt(word, part), 2),
    over: async (text, part, seen) => {
      // A mouse that rests before the editor listens is moved again.
      for (let tries = 0; tries < 20; tries++) {
        const [x, y] = await until<[number, number]>(wordAt(text, part));
        for (const dx of [40, 0])
          await page.send("Input.dispatchMouseEvent", { type: "mouseMoved", x: x + dx, y: y + dx });
        for (let wait = 0; wait < 60; wait++) {
          if ((await page.evaluate(seen)) === true) return;
          await sleep(50);
        }
      }
      await keep("stuck");
      throw new Error(`never seen: ${seen}`);
    },
    keep,
  };
}

/** Opens a file of a project in VS Code with the extension of a package, and gives the workbench to `body`. */
export async function inWorkbench(
  browser: string,
  vsix: string,
  project: string,
  file: string,
  body: (w: Workbench) => Promise<void>,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "mnemo-vscode-")),
    port = await freePort(),
    common = ["--extensions-dir", join(home, "extensions"), "--user-data-dir", join(home, "data")],
    env = { ...process.env, XDG_CONFIG_HOME: home };
  mkdirSync(join(home, "data/User"), { recursive: true });
  // Nothing is to pop up over what is looked at.
  writeFileSync(
    join(home, "data/User/settings.json"),
    JSON.stringify({ "git.enabled": false, "extensions.autoCheckUpdates": false, "workbench.tips.enabled": false }),
  );
  execFileSync(process.execPath, [server, ...common, "--install-extension", vsix], { env });
  const flags = ["--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check"],
    child = spawn(
      process.execPath,
      [server, ...common, ...flags, "--disable-workspace-trust", "--disable-getting-started-override"],
      { env, stdio: "ignore" },
    );
  const gone = new Promise(r => child.on("exit", r));
  try {
    const here = `http://127.0.0.1:${port}`;
    while (
      !(await fetch(`${here}/healthz`).then(
        r => r.ok,
        () => false,
      ))
    ) {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
      await sleep(100);
    }
    const payload = JSON.stringify([["openFile", `vscode-remote://127.0.0.1:${port}${join(project, file)}`]]),
      query = new URLSearchParams({ folder: project, payload });
    await withPage(browser, `${here}/?${query.toString()}`, "light", async page => {
      await page.size(1400, 900);
      await body(workbenchOf(page));
    });
  } finally {
    child.kill();
    await gone;
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
