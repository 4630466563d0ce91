import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gbnFirst, gbnHeader, gbnTypes, managementSlot } from "../../../../../designs/shared/go-back-n/wire/index.ts";
import { root } from "../../../../../scripts/setup/paths.mjs";

interface List {
  readonly name: string;
  readonly file: string;
  readonly members: readonly string[];
}
/** The lists of numbers by name in a source: `const x = { a: 0, b: 1 } as const`. */
function listsOf(file: string, text: string): List[] {
  const bare = text.replace(/\/\*[^]*?\*\//g, "").replace(/\/\/.*/g, "");
  return [...bare.matchAll(/const (\w+) = \{((?:\s*\w+: (?:0x)?[0-9a-f]+,?)+)\s*\} as const/g)].map(m => ({
    name: m[1]!,
    file,
    members: [...m[2]!.matchAll(/(\w+):/g)].map(n => n[1]!),
  }));
}
/** Names that stand in more than one list: each of these lists may come to mean something else by it. */
function said(lists: readonly List[]): string[] {
  const homes = new Map<string, string[]>();
  for (const l of lists) for (const m of l.members) homes.set(m, [...(homes.get(m) ?? []), `${l.name} of ${l.file}`]);
  return [...homes].filter(([, at]) => at.length > 1).map(([m, at]) => `${m}: ${at.join(", ")}`);
}

describe("the facts of Go-Back-N", () => {
  it("stand in one list each", () => {
    const files = readdirSync(join(root, "designs"), { recursive: true, encoding: "utf8" }).filter(
      f => /gbn|go-back-n/.test(f) && f.endsWith(".ts"),
    );
    const lists = files.flatMap(f => listsOf(f, readFileSync(join(root, "designs", f), "utf8")));
    expect(lists.map(l => l.name)).toEqual(expect.arrayContaining(["gbnTypes", "gbnVerdict", "gbnFrameKind"]));
    expect(said(lists)).toEqual([]);
  });

  it("two lists that each side keeps for itself are found", () => {
    const rx = listsOf("rx.ts", "const kinds = { raw: 0, session: 1, /** cut short */ malformed: 3 } as const;");
    const tx = listsOf("tx.ts", "const kinds = {\n  raw: 0,\n  session: 1, // its own\n  unsolicited: 3,\n} as const;");
    expect(said([...rx, ...tx])).toEqual([
      "raw: kinds of rx.ts, kinds of tx.ts",
      "session: kinds of rx.ts, kinds of tx.ts",
    ]);
  });

  it("are what the header says", () => {
    expect(gbnHeader.fields.type.doc).toBe("kind of packet");
    expect(Object.values(gbnTypes)).toEqual([1, 2, 3]);
    expect(gbnHeader.fields.sequence.doc).toContain(`first is ${gbnFirst}`);
    expect(gbnHeader.fields.srcSlot.doc).toContain(`${managementSlot} is management`);
  });
});
