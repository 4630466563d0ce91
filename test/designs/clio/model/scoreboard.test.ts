import { describe, expect, it } from "vitest";
import * as p from "../../../support/packets.ts";
import { makeSettings } from "../../../../designs/clio/config/index.ts";
import { MappedMemory, ReferenceNode, Scoreboard } from "../../../../designs/clio/model/index.ts";

const { config, runtime } = makeSettings(),
  page = BigInt(config.pageSize);
const client: p.Endpoint = { mac: 0x020000000001n, ip: 0x0a0a0064, port: 5000 },
  own: p.Endpoint = { mac: runtime.mac, ip: runtime.ip, port: 1200 };
let id = 0;
const request = (opcode: number, va: bigint, length: number, data: Uint8Array = new Uint8Array(), pid = 1) =>
  p.udpFrame(
    client,
    own,
    p.clioMessage({ pid, opcode, flagTracked: 1, requestId: ++id }, p.encode(p.accessBody, { va, length }), data),
  );
const write = (va: bigint, data: Uint8Array) => request(p.opcode.WRITE, va, data.length, data),
  read = (va: bigint, n: number) => request(p.opcode.READ, va, n);

function start() {
  const memory = new MappedMemory(),
    node = new ReferenceNode(config, runtime, memory),
    board = new Scoreboard(config, runtime);
  for (const vpn of [1n, 2n]) for (const m of [memory, board]) m.map(1, vpn, { read: true, write: true });
  for (const m of [memory, board]) m.map(1, 3n, { read: true, write: false });
  const answer = (f: Uint8Array): Uint8Array => {
    const o = node.receive(f);
    if (o.kind !== "reply") throw new Error(o.kind);
    return o.frame;
  };
  // The client is known before its requests come in any order.
  const hello = p.udpFrame(
    client,
    own,
    p.clioMessage({ pid: 1, opcode: p.opcode.FENCE, flagTracked: 1, requestId: 0 }),
  );
  board.issue(hello, -2);
  board.reply(answer(hello), -1);
  return { board, node, memory, answer };
}

describe("scoreboard", () => {
  it("accepts a right run, exact and concurrent", () => {
    const { board, answer } = start(),
      w1 = write(page, Uint8Array.of(1, 1, 1)),
      w2 = write(page + 1n, Uint8Array.of(2, 2, 2)),
      r1 = read(page, 4),
      bad = write(page * 3n, Uint8Array.of(9)),
      far = read(page * 9n, 1);
    for (const [i, f] of [w1, w2, r1, bad, far].entries()) board.issue(f, i);
    // Done in another order than they came.
    for (const [i, f] of [far, w2, r1, bad, w1].entries()) board.reply(answer(f), 10 + i);
    const r2 = read(page, 4);
    board.issue(r2, 20);
    expect(board.reply(answer(r2), 21)).toEqual({ name: "READ", status: 0, issued: 20, replied: 21 });
    expect(board.finish()).toEqual([]);
    expect(board.completed).toBe(7);
    expect(board.checkedBytes).toBe(8);
  });
  describe("fences that look alike, more than there are places", () => {
    const fence = (): Uint8Array =>
      p.udpFrame(client, own, p.clioMessage({ pid: 1, opcode: p.opcode.FENCE, flagTracked: 1, requestId: 1 }));
    /** A write is under way; so many fences as have a place, one that may have none, a write, and one more fence. */
    const crowd = () => {
      const { board, answer } = start(),
        [before, between] = [write(page, Uint8Array.of(1)), write(page, Uint8Array.of(2))];
      board.issue(before, 1);
      for (let i = 0; i <= config.fences; i++) board.issue(fence(), 2);
      board.issue(between, 3);
      board.issue(fence(), 4);
      const done = answer(fence()),
        busy = done.slice();
      busy[46] = (busy[46]! & 0xf0) | p.status.BUSY;
      board.reply(answer(before), 5);
      for (let i = 0; i < config.fences; i++) board.reply(done, 6);
      return { board, done, busy, between: answer(between) };
    };
    it("one that found none may be the last, and the other is done before the write behind it", () => {
      const { board, done, busy, between } = crowd();
      for (const [i, f] of [busy, done, between].entries()) board.reply(f, 7 + i);
      expect(board.finish()).toEqual([]);
    });
    it("both done before that write: told", () => {
      const { board, done, between } = crowd();
      for (const [i, f] of [done, done, between].entries()) board.reply(f, 7 + i);
      expect(board.finish()).toEqual(["at 8: FENCE issued at 4: answered before WRITE issued at 3"]);
    });
    it("none without a place while there is one: told", () => {
      const { board, answer } = start(),
        busy = answer(fence()).slice();
      busy[46] = (busy[46]! & 0xf0) | p.status.BUSY;
      board.issue(fence(), 1);
      board.reply(busy, 2);
      expect(board.finish().join("; ")).toMatch(/^at 2: FENCE issued at 1: the reply is .*BUSY/);
    });
  });
  it("tells a lost write, a stale read, a wrong status, a missing, a doubled and a damaged reply", () => {
    const problem = (run: (s: ReturnType<typeof start>) => void): string => {
      const s = start();
      run(s);
      return s.board
        .finish()
        .join("; ")
        .replaceAll(/issued at \d+/g, "issued");
    };
    const w = () => write(page, Uint8Array.of(7)),
      r = () => read(page, 1);
    const ok = (f: Uint8Array) => start().answer(f);
    expect(
      problem(s => {
        const a = w(),
          b = r();
        s.board.issue(a, 1);
        s.board.reply(ok(a), 2);
        s.board.issue(b, 3);
        s.board.reply(ok(b), 4);
      }),
    ).toBe(
      "at 4: READ of pid 1, issued, answered at 4: byte 0x400000 is 0x0, which no order of the writes allows (0x7)",
    );
    expect(
      problem(s => {
        const b = request(p.opcode.READ, page * 3n, 1);
        s.board.issue(b, 1);
        const f = s.answer(b);
        f[46] = (f[46]! & 0xf0) | 1;
        s.board.reply(f, 2);
      }),
    ).toBe("at 2: READ of 1 bytes at 0xc00000, pid 1, issued: status INVALID, expected OK");
    expect(
      problem(s => {
        s.board.issue(r(), 1);
      }),
    ).toBe("READ issued was never answered");
    expect(
      problem(s => {
        const b = r();
        s.board.issue(b, 1);
        const f = s.answer(b);
        s.board.reply(f, 2);
        s.board.reply(f, 3);
      }),
    ).toMatch(/^at 3: a reply that nobody waits for: READ_REPLY OK/);
    expect(
      problem(s => {
        const b = r();
        s.board.issue(b, 1);
        const f = s.answer(b);
        f[24] = 0;
        s.board.reply(f, 2);
      }),
    ).toMatch(/^at 2: READ: a wrong reply/);
    expect(
      problem(s => {
        const f = p.udpFrame(client, own, p.clioMessage({ opcode: 0x47 }));
        s.board.issue(f, 1);
        const a = s.answer(f);
        a[46] = 5;
        s.board.reply(a, 2);
      }),
    ).toMatch(/^at 2: 0x47 issued: the reply is 0x47 NACK/);
  });
  it("leaves an atomic and a plain write of its word at the same time in no order, and knows the word again after a write for itself", () => {
    const s = start(),
      client = (code: number, addend: bigint) => request(code, page, 8, p.encode(p.faaBody, { addend }).slice(12));
    const add = (n: bigint) => client(p.opcode.ATOMIC_FAA, n),
      plain = (n: number) => write(page, Uint8Array.of(n, 0, 0, 0, 0, 0, 0, 0));
    const [w, a, b] = [plain(3), add(1n), add(1n)],
      found = (f: Uint8Array, n: number) => {
        const r = s.answer(f).slice();
        r[70] = n;
        return r;
      };
    for (const [i, f] of [w, a].entries()) s.board.issue(f, i);
    s.board.reply(found(a, 200), 5);
    s.board.reply(s.answer(w), 6);
    s.board.issue(b, 7);
    s.board.reply(found(b, 100), 8);
    expect(s.board.problems).toEqual([]);
    const w2 = plain(9),
      c = add(1n);
    s.board.issue(w2, 10);
    s.board.reply(s.answer(w2), 11);
    s.board.issue(c, 12);
    s.board.reply(found(c, 8), 13);
    expect(s.board.finish().join()).toMatch(/fits no order/);
  });
  it("knows writes without a reply only to be done once the node is idle", () => {
    const s = start(),
      f = request(p.opcode.WRITE_NOREPLY, page, 1, Uint8Array.of(5));
    expect(s.board.issue(f, 1)).toBe(false);
    const early = read(page, 1);
    s.board.issue(early, 2);
    s.board.reply(s.answer(early), 3);
    s.node.receive(f);
    const late = read(page, 1);
    s.board.issue(late, 4);
    s.board.reply(s.answer(late), 5);
    s.board.quiesce(6);
    const stale = read(page, 1);
    s.board.issue(stale, 7);
    s.board.reply(start().answer(stale), 8);
    expect(s.board.problems.length).toBe(1);
    expect(s.board.problems[0]).toContain("which no order of the writes allows (0x5)");
  });
  it("follows mappings: a page mapped anew is zero, and a change under way allows both outcomes", () => {
    const s = start(),
      w = write(page, Uint8Array.of(5)),
      r = read(page, 1),
      during = read(page, 1);
    s.board.issue(w, 1);
    s.board.reply(s.answer(w), 2);
    s.board.issue(during, 3);
    for (const m of [s.memory, s.board]) m.unmap(1, 1n);
    s.board.reply(s.answer(during), 4);
    for (const m of [s.memory, s.board]) m.map(1, 1n, { read: true, write: true });
    s.board.issue(r, 5);
    s.board.reply(s.answer(r), 6);
    expect(s.board.finish()).toEqual([]);
  });
  const word = (v: bigint): Uint8Array => {
    const b = new Uint8Array(8);
    new DataView(b.buffer).setBigUint64(0, v, true);
    return b;
  };
  const faa = (va: bigint, addend: bigint) =>
    p.udpFrame(
      client,
      own,
      p.clioMessage(
        { pid: 1, opcode: p.opcode.ATOMIC_FAA, flagTracked: 1, requestId: ++id },
        p.encode(p.faaBody, { va, length: 8, addend }),
      ),
    );
  it("judges plain reads beside atomics: by the bytes when none is under way, by nothing while one is", () => {
    const { board, answer } = start(),
      say = (f: Uint8Array, at: number) => {
        board.issue(f, at);
        board.reply(answer(f), at + 1);
      };
    say(write(page, word(5n)), 1);
    say(faa(page, 2n), 3);
    say(read(page - 0n, 16), 5);
    // The read comes before the atomic is answered, and finds what it has done already.
    const during = faa(page, 3n),
      early = read(page, 4);
    board.issue(during, 10);
    board.issue(early, 11);
    const done = answer(during);
    board.reply(answer(early), 12);
    board.reply(done, 13);
    say(read(page, 12), 14);
    // A plain write takes the word back, and the next atomic goes on from it.
    say(write(page + 4n, Uint8Array.of(1)), 16);
    say(faa(page, 0n), 18);
    expect(board.finish()).toEqual([]);
    const stale = start();
    const a = faa(page, 1n),
      b = read(page, 8);
    stale.board.issue(a, 1);
    stale.board.reply(stale.answer(a), 2);
    stale.board.issue(b, 3);
    stale.board.reply(start().answer(b), 4);
    expect(stale.board.finish()).toHaveLength(1);
  });
  it("leaves open what is behind a pointer that is being written, and all reads after a write there", () => {
    const { board, answer } = start();
    const pointer = write(page, word(page + 100n)),
      through = request(p.opcode.DEREF_READ, page, 4),
      blind = request(p.opcode.DEREF_WRITE, page, 1, Uint8Array.of(9));
    board.issue(pointer, 1);
    board.issue(through, 2);
    board.issue(blind, 3);
    for (const [i, f] of [pointer, through, blind].entries()) board.reply(answer(f), 4 + i);
    const after = read(page + 100n, 1);
    board.issue(after, 10);
    board.reply(answer(after), 11);
    expect(board.finish()).toEqual([]);
  });
});
