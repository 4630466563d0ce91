import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cCompiler } from "../../../support/c-compiler.ts";
import { describe, expect, test } from "vitest";
import { counterNames, makeSettings } from "../../../../designs/clio/config/index.ts";
import {
  counterAddress,
  defaultMatTable,
  fieldPlace,
  matAction,
  matActions,
  matAddress,
  matBase,
  matEntryFields,
  matWord,
  matWords,
  registerHeader,
  registerMap,
  registerReference,
  resetValues,
  syncOperation,
} from "../../../../designs/clio/registers/index.ts";
import { extractField, insertField } from "../../../../hdl-dsl/index.ts";
import { defaultAction, opcode } from "../../../../designs/clio/wire/index.ts";

describe("registers", () => {
  test("no two share an address, none lies in a window", () => {
    const addresses = [
      ...registerMap.map(r => r.address),
      ...counterNames.flatMap(n => [counterAddress(n), counterAddress(n) + 4]),
      ...Array.from({ length: matWords }, (_, i) => matAddress(i)),
    ];
    expect(new Set(addresses).size).toBe(addresses.length);
    expect(matAddress(255) - matBase).toBe(1020);
  });
  test("every kept or fixed field has a value after reset that fits it", () => {
    const values = resetValues(makeSettings()) as Readonly<Record<string, number>>;
    for (const f of registerMap.flatMap(r => r.fields)) {
      if (f.kind === "live" || f.name.startsWith("rule")) continue;
      expect(values[f.name], f.name).toBeGreaterThanOrEqual(0);
      expect(values[f.name], f.name).toBeLessThan(2 ** f.width);
    }
    expect(Object.keys(values).every(n => registerMap.some(r => r.fields.some(f => f.name === n)))).toBe(true);
  });
  test("fields are put into words and taken out again", () => {
    const { field } = fieldPlace("rule2Valid");
    expect(insertField(field, 0x1234, 1)).toBe(0x80001234);
    expect(extractField(field, 0x80001234)).toBe(1);
    expect(extractField(fieldPlace("macLow").field, 0xffffffff)).toBe(0xffffffff);
  });
  const writing = [
    opcode.WRITE,
    opcode.WRITE_NOREPLY,
    opcode.DEREF_WRITE,
    opcode.ATOMIC_TAS,
    opcode.ATOMIC_CAS,
    opcode.ATOMIC_FAA,
    opcode.ATOMIC_STORE,
  ];
  test("the table comes up with the opcode table's actions", () => {
    defaultMatTable.forEach((e, code) => {
      const sync = e.operation !== syncOperation.none;
      expect(matActions[e.action], `opcode ${code}`).toBe(
        code === opcode.PINGPONG ? "echo" : sync ? "sync" : defaultAction(code),
      );
      expect([e.write, e.silent]).toEqual([
        writing.includes(code) && defaultAction(code) === "fast" ? 1 : 0,
        code === opcode.WRITE_NOREPLY ? 1 : 0,
      ]);
      if (sync) expect(defaultAction(code)).toBe("fast");
    });
    expect(matWord({ action: matAction.drop, write: 1, silent: 1, operation: 6, replyOpcode: 0xab })).toBe(0xabdd);
    expect(extractField(matEntryFields.replyOpcode, 0xab1d)).toBe(0xab);
  });
  test("the C header compiles and says the same", () => {
    const folder = mkdtempSync(join(tmpdir(), "clio-registers-"));
    try {
      const shift = fieldPlace("outOfMemory").field.lsb;
      writeFileSync(join(folder, "registers.h"), registerHeader());
      writeFileSync(
        join(folder, "use.c"),
        `#include "registers.h"
_Static_assert(CLIO_REG_FLAGS == ${fieldPlace("outOfMemory").register.address} && CLIO_OUT_OF_MEMORY_SHIFT == ${shift} && CLIO_OUT_OF_MEMORY_MASK == 1, "flags");
_Static_assert(CLIO_MAT(0x50) == ${matAddress(0x50)} && CLIO_MAT_EXTEND == ${matAction.extend}, "table");
_Static_assert(CLIO_COUNTER_WRITES_NO_REPLY == ${counterAddress("writesNoReply")}, "counters");
`,
      );
      execFileSync(cCompiler(), ["-std=c11", "-Wall", "-Werror", "-fsyntax-only", join(folder, "use.c")], {
        stdio: "pipe",
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
  test("the reference page names every field and counter", () => {
    const page = registerReference();
    for (const f of registerMap.flatMap(r => r.fields)) expect(page).toContain(`| ${f.name} |`);
    for (const n of counterNames) expect(page).toContain(`| ${n} |`);
  });
});
