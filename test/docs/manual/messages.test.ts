/** The chapter of messages is complete and current (`MNEMO_UPDATE=1` writes it). */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { diagnosticCodes } from "../../../hdl-dsl/index.ts";
import { manual, root } from "./chapters.ts";
import { messagesChapter, messagesOf, programs } from "./messages.ts";

test("every code that the language uses is explained, and none that it does not use", () => {
  const used = new Set<string>();
  for (const f of readdirSync(resolve(root, "hdl-dsl"), { recursive: true, encoding: "utf8" })) {
    if (f.endsWith(".ts"))
      for (const m of readFileSync(resolve(root, "hdl-dsl", f), "utf8").matchAll(/"(HDL\d{3})"/g))
        used.add(m[1] as string);
  }
  expect(Object.keys(diagnosticCodes)).toEqual([...used].sort());
});

test("every code has a program, and every program its message", () => {
  const all = programs();
  expect([...new Set(all.map(p => p.code))].sort()).toEqual(Object.keys(diagnosticCodes));
  for (const p of all) expect(messagesOf(p.def, p.code, p.snippet), p.snippet.text).not.toEqual([]);
});

test("the chapter is what the code gives", () => {
  const path = resolve(manual, "15-messages.md"),
    wanted = messagesChapter();
  if (process.env["MNEMO_UPDATE"] === "1") {
    writeFileSync(path, wanted);
    return;
  }
  expect(readFileSync(path, "utf8"), "old messages: run MNEMO_UPDATE=1 npx vitest run test/docs/manual").toBe(wanted);
});
