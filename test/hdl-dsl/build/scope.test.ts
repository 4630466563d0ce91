import { expect, test } from "vitest";
import {
  emit,
  Fifo,
  instance,
  module,
  node,
  output,
  ram,
  reg,
  scope,
  struct,
  structureOf,
  uint,
} from "../../../hdl-dsl/index.ts";

const Entry = struct({ key: uint(4), value: uint(8) });

const Scoped = module(
  "Scoped",
  () => ({ y: output(uint(8)) }),
  io => {
    const found = scope("lookup", () => {
      const place = reg(uint(2), { init: 0 });
      place.set(place.add(1));
      const table = ram(Entry, { depth: 4, collision: "undefined" });
      table.write(place.any(), place, { key: 1, value: 2 });
      const queue = instance(Fifo({ shape: uint(8), depth: 4 }));
      const entry = table.readAsync(place);
      queue.push.valid.set(entry.key.any());
      queue.push.payload.set(entry.value);
      queue.pop.ready.set(1);
      const answer = node(queue.pop.payload.add(entry.value));
      return answer;
    });
    io.y.set(found);
  },
);

test("a scope's name stands before names in the Verilog, in the map that waves use, and in drawings", () => {
  const design = emit(Scoped()),
    text = design.files.find(f => f.name === "Scoped.v")?.text ?? "";
  expect(text).toMatch(/reg \[1:0\] lookup_place;/);
  expect(text).toMatch(/reg \[11:0\] lookup_table \[0:3\];/);
  expect(text).toMatch(/wire \[7:0\] lookup_entry_value = /);
  expect(text).toMatch(/Fifo_uint8_d4_auto lookup_queue \(/);
  const names = design.names?.modules["Scoped"];
  expect(names?.instances.map(i => i.name)).toEqual(["lookup_queue"]);
  expect(names?.memories.map(m => m.name)).toEqual(["lookup_table"]);
  expect(names?.signals.map(s => s.name)).toContain("lookup_answer");
  expect(structureOf(Scoped()).parts.map(p => p.name)).toEqual(
    expect.arrayContaining(["lookup_queue", "lookup_table"]),
  );
});
