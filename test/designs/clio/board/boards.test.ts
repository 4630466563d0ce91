import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allBoards, readBoard } from "../../../../cli/board/boards.ts";
import { ice40Sources } from "../../../../cli/board/ice40.ts";
import { boardFiles } from "../../../../cli/board/run-board.ts";
import { root } from "../../../../scripts/setup/paths.mjs";
import { mnemo } from "../../../support/command-line.ts";

const boards = allBoards(root);
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mnemo-board-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("lists the boards, and says what is wrong with a name or an order", async () => {
  const { code, out } = await mnemo(["board"]);
  expect(code).toBe(0);
  for (const b of boards) expect(out).toContain(b.part);
  expect(await mnemo(["board", "de10"])).toMatchObject({
    code: 2,
    err: "mnemo: there is no board de10: choose one of htg9200, htg9200_supernic, hx8k, u250, zcu106\n",
  });
  expect(await mnemo(["board", "u250"])).toMatchObject({
    code: 2,
    err: "mnemo: mnemo board u250 writes files: say where with --out <folder>\n",
  });
  expect(await mnemo(["board", "u250", "--route"])).toMatchObject({ code: 2 });
});

it("refuses a board whose data cannot be", () => {
  const text = readFileSync(join(root, "constraints/boards/hx8k.json"), "utf8");
  expect(() => readBoard(text.replace('"B10"', '"B12"'), "x.json")).toThrow("pin B12 is given twice");
  expect(() => readBoard(text.replace('"baud"', '"bawd"'), "x.json")).toThrow("x.json: ");
  expect(() => readBoard(text.replace('"J3"', '"3J"'), "x.json")).toThrow("x.json: ");
});

describe.each(boards.filter(b => b.kind !== "ice40"))("$name", b => {
  const files = boardFiles(root, b);
  const verilog = files.filter(f => f.path.endsWith(".v"));
  const text = (end: string): string => files.find(f => f.path.endsWith(end))?.text ?? "";
  const ports = new Set(
    [...text("_top.v").matchAll(/^ {2}(?:input|output|inout) +wire (?:\[\d+:0\] )?(\w+)/gm)].map(m => m[1]),
  );

  it("its top level passes verilator -Wall with the vendor's parts stood in for (and, of one board, a planted fault does not)", () => {
    const place = join(folder, b.name);
    for (const f of verilog) {
      mkdirSync(dirname(join(place, f.path)), { recursive: true });
      writeFileSync(join(place, f.path), f.text);
    }
    const lint = (): string => {
      try {
        return execFileSync(
          "verilator",
          ["--lint-only", "-Wall", "--top-module", `${b.name}_top`, ...verilog.map(f => f.path)],
          { cwd: place, encoding: "utf8", stdio: "pipe" },
        );
      } catch (e) {
        const { code, stderr } = e as { readonly code?: unknown; readonly stderr: unknown };
        if (code === "ENOENT") throw e;
        return String(stderr);
      }
    };
    expect(lint()).toBe("");
    if (b !== boards.find(x => x.kind === b.kind)) return;
    const top = verilog.find(f => f.path.endsWith("_top.v"));
    writeFileSync(
      join(place, top?.path ?? ""),
      text("_top.v").replace(/\.mac_rx(\d?)_last\(rx\d?_tlast\)/, ".mac_rx$1_last(rx$1_tdata)"),
    );
    expect(lint()).toContain("WIDTH");
  });
  it("constrains only ports that it has, and says that nothing of it was run", () => {
    for (const [, port] of text(".xdc").matchAll(/get_ports \{?(\w+)/g)) expect(ports).toContain(port);
    for (const f of files.filter(x => /\.(xdc|tcl)$|_top\.v$/.test(x.path))) expect(f.text).toContain("NOT RUN HERE");
    for (const u of b.unconfirmed) expect(text(".xdc")).toContain(u);
  });
  it("its crossings have the names that the constraints look for", () => {
    const fifo = verilog.find(f => f.path.includes("AsyncFifo"));
    for (const n of ["head_gray", "tail_gray", "head_seen_1", "tail_seen_1", "store", "front"])
      expect(fifo?.text).toMatch(new RegExp(`\\breg\\b.*\\b${n}\\b`));
  });
  it("balances its scripts' braces and brackets", () => {
    for (const f of files.filter(x => x.path.endsWith(".tcl"))) {
      const code = f.text
        .split("\n")
        .filter(l => !l.startsWith("#"))
        .join("\n");
      for (const [open, close] of [
        ["{", "}"],
        ["[", "]"],
      ] as const)
        expect(code.split(open).length, `${f.path} ${open}`).toBe(code.split(close).length);
    }
  });
});

const open = (): ReturnType<typeof ice40Sources> => {
  const b = boards.find(x => x.kind === "ice40");
  if (b?.kind !== "ice40") throw new Error("no such board");
  return ice40Sources(root, b);
};
it("hx8k: all of its Verilog passes verilator -Wall", () => {
  const { top, verilog: files } = open(),
    place = join(folder, "open");
  mkdirSync(place, { recursive: true });
  for (const f of files) writeFileSync(join(place, f.name), f.text);
  expect(
    execFileSync("verilator", ["--lint-only", "-Wall", "--top-module", top, ...files.map(f => f.name)], {
      cwd: place,
      encoding: "utf8",
      stdio: "pipe",
    }),
  ).toBe("");
});
it("hx8k: the pins are the top level's ports, all of them", () => {
  const s = open(),
    top = s.verilog.at(-1)?.text ?? "";
  for (const [, port] of s.pins.matchAll(/^set_io (\w+)/gm))
    expect(top).toMatch(new RegExp(`(?:input|output) +wire (?:\\[7:0\\] )?${port}\\b`));
  expect(s.pins.match(/^set_io/gm)).toHaveLength(11);
});
