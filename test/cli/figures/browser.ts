/** A Chromium that is on this machine, without a window and without the network. */
import { execFile } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

/** The program: that of MNEMO_CHROMIUM, or the first on the path; undefined where there is none. */
export function chromium(): string | undefined {
  const named = process.env["MNEMO_CHROMIUM"],
    folders = (process.env["PATH"] ?? "").split(delimiter);
  return (
    named === undefined || named === ""
      ? folders.flatMap(f => ["chromium", "chromium-browser", "google-chrome"].map(n => join(f, n)))
      : [named]
  ).find(path => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Output of a headless run with these flags. @throws when it fails or takes a minute and a half */
export async function browse(program: string, scheme: "light" | "dark", flags: readonly string[]): Promise<string> {
  const profile = mkdtempSync(join(tmpdir(), "mnemo-browser-"));
  const all = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    `--user-data-dir=${profile}`,
    `--blink-settings=preferredColorScheme=${scheme === "dark" ? 0 : 1}`,
    ...flags,
  ];
  try {
    return (await promisify(execFile)(program, all, { timeout: 90_000, maxBuffer: 2 ** 26 })).stdout;
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
