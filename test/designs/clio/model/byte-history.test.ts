import { describe, expect, it } from "vitest";
import { ByteHistory, type PendingWrite } from "../../../../designs/clio/model/index.ts";
import { Random } from "../../../../hdl-dsl/index.ts";

const write = (start: number, value: number, issued: number, replied: number, length = 1): PendingWrite => ({
  start,
  data: new Uint8Array(length).fill(value),
  issued,
  replied,
});
const byte = (v: number): Uint8Array => Uint8Array.of(v);
describe("byte history", () => {
  it("is exact for accesses one after another", () => {
    const h = new ByteHistory();
    expect(h.check(5, byte(0), 0)).toBeUndefined();
    h.add(write(5, 1, 1, 2));
    expect(h.check(5, byte(1), 3)).toBeUndefined();
    expect(h.check(5, byte(0), 3)).toEqual({ offset: 5, legal: [1] });
    h.add(write(5, 2, 4, 5));
    expect(h.check(5, byte(1), 6)).toEqual({ offset: 5, legal: [2] });
    h.fold(6);
    expect(h.pending).toBe(0);
    expect(h.check(5, byte(2), 6)).toBeUndefined();
    expect(h.check(5, byte(1), 6)).toEqual({ offset: 5, legal: [2] });
  });
  it("allows either order of what overlaps in time, and no third value", () => {
    const h = new ByteHistory();
    h.add(write(0, 1, 1, 2));
    h.add(write(0, 2, 3, 10));
    h.add(write(0, 3, 4, 9));
    for (const v of [1, 2, 3]) expect(h.check(0, byte(v), 5)).toBeUndefined();
    expect(h.check(0, byte(0), 5)).toBeDefined();
    for (const v of [2, 3]) expect(h.check(0, byte(v), 11)).toBeUndefined();
    expect(h.check(0, byte(1), 11)).toEqual({ offset: 0, legal: [2, 3] });
  });
  it("remembers, once folded, which of two concurrent writes a read has shown to be last", () => {
    const h = new ByteHistory();
    h.add(write(0, 2, 3, 10));
    h.add(write(0, 3, 4, 9));
    h.fold(11);
    expect(h.pending).toBe(0);
    expect(h.check(0, byte(1), 11)).toEqual({ offset: 0, legal: [2, 3] });
    expect(h.check(0, byte(3), 11)).toBeUndefined();
    expect(h.check(0, byte(2), 12)).toEqual({ offset: 0, legal: [3] });
  });
  it("never complains of a memory that does each access at one moment of its own, and often of one that loses a write", () => {
    let caught = 0,
      planted = 0;
    for (let seed = 1; seed <= 300; seed++) {
      const r = new Random(seed),
        h = new ByteHistory(),
        lossy = seed % 3 === 0;
      // Operations of 1 to 20 units with a moment inside; the memory does them in order of their moments.
      const ops = Array.from({ length: 60 }, (_, i) => {
        const issued = r.below(lossy ? 2000 : 200),
          replied = issued + 1 + r.below(20);
        return {
          issued,
          replied,
          moment: issued + 0.1 + (r.below(100) / 100) * (replied - issued - 0.2),
          write: r.below(2) === 0,
          start: r.below(4),
          length: 1 + r.below(4),
          value: i + 1,
          seen: new Uint8Array(0),
          lost: false,
        };
      }).sort((a, b) => a.moment - b.moment);
      const memory = new Uint8Array(8);
      const victim = lossy ? ops.filter(o => o.write)[5] : undefined;
      for (const o of ops) {
        if (!o.write) o.seen = memory.slice(o.start, o.start + o.length);
        else if (o !== victim) memory.fill(o.value, o.start, o.start + o.length);
      }
      const events = ops
        .flatMap(o => [
          { at: o.issued, reply: false, o },
          { at: o.replied, reply: true, o },
        ])
        .sort((a, b) => a.at - b.at || Number(a.reply) - Number(b.reply));
      const live = new Map<(typeof ops)[number], PendingWrite>(),
        open = new Set<(typeof ops)[number]>();
      let complaint: unknown;
      for (const { reply, o } of events) {
        if (!reply) {
          open.add(o);
          if (o.write) {
            const w = write(o.start, o.value, o.issued, Infinity, o.length);
            live.set(o, w);
            h.add(w);
          }
          continue;
        }
        if (o.write) {
          const w = live.get(o);
          if (w) w.replied = o.replied;
        } else complaint ??= h.check(o.start, o.seen, o.issued);
        open.delete(o);
        h.fold(Math.min(Infinity, ...[...open].map(x => x.issued)));
      }
      if (!lossy) expect(complaint, `seed ${seed}`).toBeUndefined();
      // Whether a lost write shows depends on being read before it is overwritten; a read that starts after it and saw
      // something else must tell.
      else {
        planted++;
        if (complaint) caught++;
      }
    }
    expect(planted).toBe(100);
    expect(caught).toBeGreaterThan(30);
  });
});
