/** The page "A rack on a laptop": its files are those of the examples, and its commands do what it says. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { withExcerpts } from "../../cli/generate/excerpts.ts";
import { readRack } from "../../designs/rack/setup/index.ts";
import { mnemo } from "../support/command-line.ts";

const path = "docs/rack-on-a-laptop.md",
  page = readFileSync(path, "utf8"),
  blocks = [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(m => ({ kind: m[1] ?? "", text: m[2] ?? "" })),
  commands = blocks.filter(b => b.kind === "" && b.text.startsWith("npx mnemo ")).map(b => b.text.trim());

it("shows the examples as they are", () => {
  expect(withExcerpts(page, name => readFileSync(name, "utf8"))).toBe(page);
});

it.each(commands)("%s", async command => {
  const folder = mkdtempSync(join(tmpdir(), "rack-")),
    args = command
      .split(/\s+/)
      .slice(2)
      .map(a => a.replace(/^out\//, `${folder}/`));
  try {
    const { code, out, err } = await mnemo(args);
    expect(code, err).toBe(0);
    if (args[0] === "figures") {
      expect(existsSync(join(folder, "figures", "supernic-figures.html"))).toBe(true);
      return;
    }
    // The verdict is as the page has it, but for its numbers.
    const verdict = blocks.find(b => b.kind === "text")?.text.trim() ?? "none";
    expect(out.replace(/\d[\d,]*/g, "#").replace("# thread,", "# threads,")).toContain(verdict);
    const isBad = !command.includes("1-one");
    expect(/^host0 .* (\d+) +\d+ *$/m.exec(out)?.[1] === "0", out).toBe(!isBad);
    if (command.includes("--links")) {
      expect(existsSync(join(folder, "links"))).toBe(true);
      expect(JSON.parse(readFileSync(join(folder, "rack.json"), "utf8"))).toBeTypeOf("object");
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("a task that there is not gets one sentence that names it", () => {
  const text = readFileSync("examples/rack-on-a-laptop/3-dag.json", "utf8").replace(
    '"firewall", "delay',
    '"firewal", "delay',
  );
  expect(() => readRack(text, "my-rack.json")).toThrow(/firewal/);
});
