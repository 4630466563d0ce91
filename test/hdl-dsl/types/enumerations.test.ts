import { describe, expect, test } from "vitest";
import {
  bit,
  type Bit,
  cat,
  codeOf,
  connect,
  constant,
  emit,
  enumOf,
  fifo,
  fromCode,
  hasName,
  input,
  map,
  match,
  module,
  mux,
  namesOf,
  output,
  pack,
  ram,
  reg,
  sink,
  source,
  struct,
  switchOn,
  type UInt,
  uint,
  unpack,
  variantOf,
  vec,
  when,
  widthOf,
} from "../../../hdl-dsl/index.ts";
import { bernoulli, peek, poke, StreamSink, StreamSource } from "../../../sim/index.ts";
import { bench } from "../../bench.ts";
import { messageOf } from "../build/faults.ts";
import { lint } from "../support/lint.ts";
import { faults } from "./enumeration-faults.ts";

const Verdict = enumOf("Verdict", ["mapped", "absent", "noRights"]);
const Op = enumOf("Op", { read: 0, write: 3, atomicAdd: 9 }, { width: 8 });
const Dir = enumOf("Dir", ["rx", "tx"]);
const Request = variantOf("Request", {
  read: struct({ address: uint(16), length: uint(4) }),
  write: struct({ address: uint(16), data: uint(8) }),
  flush: null,
});
const Beat = struct({ verdict: Verdict, tag: uint(4) });

/** One of each: ports, registers, choices, streams, memory words, variants, codes from outside. */
const Judge = module(
  "Judge",
  () => ({
    verdict: input(Verdict),
    verdicts: input(vec(Verdict, 2)),
    raw: input(uint(8)),
    a: input(uint(8)),
    b: input(uint(8)),
    pick: output(uint(8)),
    mapped: output(uint(8)),
    last: output(Verdict),
    chosen: output(Verdict),
    known: output(bit),
    op: output(Op),
    code: output(uint(2)),
    dir: output(Dir),
    from: sink(Beat),
    to: source(Beat),
    request: input(Request),
    address: output(uint(16)),
    made: output(Request),
    word: output(Beat),
  }),
  io => {
    const last = reg(Verdict, { init: "absent" });
    const mapped = reg(uint(8), { init: 0 });
    const dir = reg(Dir, { init: "tx" });
    when(io.verdict.is("mapped", "noRights"), () => last.set(io.verdict));
    match(io.verdict, {
      mapped: () => {
        mapped.set(mapped.add(1));
      },
      absent: () => {
        dir.set("rx");
      },
      otherwise: () => {
        dir.set(Dir.tx);
      },
    });
    const pick = match(io.verdict, { mapped: () => io.a, absent: () => io.b, noRights: () => 7 });
    io.pick.set(pick);
    io.mapped.set(mapped);
    io.last.set(last);
    io.chosen.set(mux(io.a.eq(3), io.verdicts.at(1), "noRights"));
    io.known.set(hasName(Op, io.raw));
    io.op.set(fromCode(Op, io.raw, "atomicAdd"));
    io.code.set(io.verdict.asUint());
    io.dir.set(dir);
    connect(
      fifo(
        map(io.from, Beat, v => ({ verdict: mux(v.verdict.eq("absent"), Verdict.mapped, v.verdict), tag: v.tag })),
        4,
      ),
      io.to,
    );
    const address = match(io.request, { read: r => r.address, write: w => w.address.add(1), flush: () => 0 });
    io.address.set(address);
    const made = reg(Request, { init: { tag: "flush" } });
    match(io.verdict, {
      mapped: () => {
        made.set(Request.read({ address: address, length: 5 }));
      },
      absent: () => {
        made.set(Request.write({ address: 0x1234, data: io.a }));
      },
      noRights: () => {
        made.set(Request.flush());
      },
    });
    io.made.set(made);
    const words = ram(Beat, { depth: 4, collision: "old" });
    words.write(io.a.bit(7), io.a.trunc(2), { verdict: io.verdict, tag: io.b.trunc(4) });
    io.word.set(words.readAsync(io.b.trunc(2)));
  },
);
describe("shapes", () => {
  test("widths and codes", () => {
    expect([widthOf(Verdict), widthOf(Op), widthOf(Dir), widthOf(Beat)]).toEqual([2, 8, 1, 6]);
    expect(namesOf(Verdict)).toEqual(["mapped", "absent", "noRights"]);
    expect(codeOf(Op, "atomicAdd")).toBe(9);
    expect(widthOf(enumOf("One", ["only"]))).toBe(1);
    expect(widthOf(Request)).toBe(2 + 24);
  });
  test("bad ones are told in one sentence", () => {
    expect(() => enumOf("V", [])).toThrow('enumOf("V"): at least one value is needed');
    expect(() => enumOf("V", ["a", "b c"])).toThrow(
      'enumOf("V"): the value "b c" is no name: letters, digits and _, a letter first',
    );
    expect(() => enumOf("V", ["width"])).toThrow(`enumOf("V"): the name width is the language's own; choose another`);
    expect(() => enumOf("V", ["noRights", "no_rights"])).toThrow(
      'enumOf("V"): the names noRights and no_rights cannot be told apart in Verilog',
    );
    expect(() => enumOf("V", { a: 1, b: 1 })).toThrow('enumOf("V"): a and b have the same code, 1');
    expect(() => enumOf("V", { a: -1 })).toThrow(
      'enumOf("V"): the code of a is -1; a whole number from 0 to 2^32 - 1 is expected',
    );
    expect(() => enumOf("V", { a: 9 }, { width: 3 })).toThrow(
      'enumOf("V"): the code 9 takes 4 bits, and the width is 3; give 4 to 32',
    );
    expect(() => enumOf("3x", ["a"])).toThrow('enumOf: "3x" is no name: letters, digits and _, a letter first');
  });
});

describe("messages", () => {
  test.each(Object.entries(faults))("%s", (code, def) => {
    expect(messageOf(def).split("\n")[0]).toMatch(new RegExp(`^${code.slice(0, 6)} in `));
  });
});

describe("emitted", () => {
  const design = emit(Judge()),
    text = design.files.map(f => f.text).join("\n");
  test("names as localparams, in cases, comparisons, resets and values", () => {
    for (const line of [
      "localparam [1:0] verdict_mapped = 2'd0;\n  localparam [1:0] verdict_absent = 2'd1;\n  localparam [1:0] verdict_no_rights = 2'd2;",
      "localparam dir_rx = 1'b0;",
      "localparam [7:0] op_atomic_add = 8'd9;",
      "<= verdict_absent;",
      "dir_q <= dir_tx;",
      "verdict_absent: ",
      "assign pick = (verdict == verdict_mapped) ? a : (verdict == verdict_absent) ? b : 8'd7;",
      "? verdicts_1 : verdict_no_rights;",
    ])
      expect(text).toContain(line);
  });
  test("many values share lines, in the base of the enumeration", () => {
    const Code = enumOf("Code", { READ: 0x40, READ_REPLY: 0x41, WRITE: 0x50, FENCE: 0x0b }, { width: 8, base: "hex" });
    const Coded = module(
      "Coded",
      () => ({ code: input(Code), y: output(uint(2)) }),
      io => {
        io.y.set(match(io.code, { READ: () => constant(0, 2), READ_REPLY: () => 1, WRITE: () => 2, FENCE: () => 3 }));
      },
    );
    const Compared = module(
      "Compared",
      () => ({ code: input(uint(8)), y: output(uint(2)) }),
      io => {
        const is = (c: { readonly width: number }): Bit => io.code.eq(pack(c) as UInt<8>);
        io.y.set(cat(is(Code.FENCE), is(Code.READ).or(is(Code.WRITE)).or(is(Code.READ_REPLY))));
      },
    );
    const list =
      "  localparam [7:0] code_fence = 8'h0b, code_read = 8'h40, code_read_reply = 8'h41, code_write = 8'h50;\n";
    expect(emit(Compared()).files[0]?.text).toContain(list);
    expect(emit(Compared()).files[0]?.text).toContain("code == code_fence");
    expect(emit(Coded()).files[0]?.text).toMatch(/code_read = 8'h40/);
  });

  test("three tools accept it", () => {
    expect(lint(design)).toBe("");
  });
  test("waves show the names", () => {
    const signals = design.names?.modules["Judge"]?.signals ?? [];
    expect(signals.find(s => s.name === "verdict")?.states).toEqual(["mapped", "absent", "noRights"]);
    expect(signals.find(s => s.name === "op")).toMatchObject({
      states: ["read", "write", "atomicAdd"],
      codes: [0, 3, 9],
    });
  });
});

const verdicts = namesOf(Verdict);
describe("behaviour", () => {
  bench("choices, codes from outside, variants and memory words", Judge(), {}, async b => {
    let mapped = 0,
      last: string = "absent",
      dir: string = "tx";
    let made: { tag: string; body: number } = { tag: "flush", body: 0 };
    const memory: ({ verdict: string; tag: number } | undefined)[] = [];
    for (let i = 0; i < 300; i++) {
      const verdict = b.random.pick(verdicts),
        other = b.random.pick(verdicts),
        a = b.random.between(0, 255),
        c = b.random.between(0, 255),
        raw = b.random.pick([0, 1, 3, 9, 10, 255]),
        tag = b.random.pick(["read", "write", "flush"] as const),
        body = b.random.between(0, 2 ** 24 - 1);
      b.io.verdict.value = verdict;
      poke(b.io.verdicts, [verdict, other]);
      b.io.a.value = a % 5 === 0 ? 3 : a;
      b.io.b.value = c;
      b.io.raw.value = raw;
      poke(b.io.request, { tag, body });
      await b.risingEdge();
      const seen = b.io.a.num;
      expect(b.io.pick.value).toBe({ mapped: seen, absent: c, noRights: 7 }[verdict]);
      expect(b.io.mapped.value).toBe(mapped);
      expect(b.io.last.value).toBe(last);
      expect(b.io.dir.value).toBe(dir);
      expect(b.io.chosen.value).toBe(seen === 3 ? other : "noRights");
      expect(b.io.code.value).toBe(verdicts.indexOf(verdict));
      expect(b.io.known.value).toBe([0, 3, 9].includes(raw) ? 1 : 0);
      expect(b.io.op.value).toBe(raw === 0 ? "read" : raw === 3 ? "write" : "atomicAdd");
      const address = tag === "read" ? body % 65536 : tag === "write" ? (body + 1) % 65536 : 0;
      expect(b.io.address.value).toBe(address);
      expect(peek(b.io.made)).toEqual(made);
      const word = memory[c % 4];
      if (word !== undefined) expect(peek(b.io.word)).toEqual(word);
      if (seen >= 128) memory[seen % 4] = { verdict, tag: c % 16 };
      if (verdict === "mapped") mapped = (mapped + 1) % 256;
      if (verdict !== "absent") last = verdict;
      dir = verdict === "absent" ? "rx" : verdict === "noRights" ? "tx" : dir;
      made =
        verdict === "mapped"
          ? { tag: "read", body: address + 5 * 65536 }
          : verdict === "absent"
            ? { tag: "write", body: 0x1234 + seen * 65536 }
            : { tag: "flush", body: 0 };
    }
  });

  bench("streams carry names", Judge(), {}, async b => {
    const from = new StreamSource(b.sim, b.io.from, { pause: bernoulli(0.3, 1) }),
      to = new StreamSink(b.sim, b.io.to, { pause: bernoulli(0.4, 2) });
    const sent = Array.from({ length: 60 }, (_, i) => ({ verdict: b.random.pick(verdicts), tag: i % 16 }));
    for (const s of sent) from.send(s);
    await b.until(() => to.received.length === sent.length);
    expect(to.received.map(r => r.value)).toEqual(
      sent.map(s => ({ ...s, verdict: s.verdict === "absent" ? "mapped" : s.verdict })),
    );
  });

  bench("the harness takes names only, and shows a code without one", Judge(), {}, async b => {
    expect(() => {
      b.io.verdict.value = "maped" as "mapped";
    }).toThrow("verdict: maped is no value of Verdict; give one of mapped, absent, noRights");
    expect(b.io.verdict.value).toBe("mapped");
    b.io.verdict.bytes[0] = 3;
    expect(b.io.verdict.value).toBe("?3");
    expect(b.io.verdict.num).toBe(3);
    b.io.verdict.value = "absent";
    await b.risingEdge();
  });
});

test("by hand and by match the same Verilog comes out", () => {
  const ports = { v: input(Verdict), a: input(uint(8)), y: output(uint(8)) };
  const By = module(
    "By",
    () => ports,
    io => {
      io.y.set(match(io.v, { mapped: () => io.a, absent: () => 1, noRights: () => 2 }));
    },
  );
  const Switch = module(
    "By",
    () => ports,
    io => {
      io.y.set(0);
      switchOn(io.v.asUint())
        .is(0, () => io.y.set(io.a))
        .is(1, () => io.y.set(1))
        .otherwise(() => io.y.set(2));
    },
  );
  const text = (d: ReturnType<typeof By>): string =>
    (emit(d).files[0]?.text ?? "")
      .replace(/verdict_mapped(?! =)/g, "2'd0")
      .replace(/verdict_absent(?! =)/g, "2'd1")
      .replace(/( *localparam.*\n)+/g, "")
      .replace(/\n\n/g, "\n");
  expect(text(By())).toBe(text(Switch()));
});

test("what is packed is read back", () => {
  const Packed = module(
    "Packed",
    () => ({ beat: input(Beat), back: output(Beat), bits: output(uint(6)) }),
    io => {
      io.bits.set(pack(io.beat).is(6));
      io.back.set(unpack(Beat, pack(io.beat)));
    },
  );
  const text = emit(Packed()).files[0]?.text ?? "";
  expect(text).toContain("assign bits = {beat_tag, beat_verdict};");
  expect(text).toContain("assign back_verdict = beat_verdict;");
});
