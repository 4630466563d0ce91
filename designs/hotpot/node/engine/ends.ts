/** How the work on a message ends: all who end it have a wire for each verdict, so that none waits for another. */
import { bit, fromBits, node, orTree, reg, uint, when, wire } from "../../../../hdl-dsl/index.ts";
import { type Verdict, verdicts } from "../../wire/index.ts";

const names = Object.keys(verdicts) as Verdict[],
  verdictBits = 3;

/** `verdict` and `finished` are there in the cycle after `end`; `finished` for that cycle only. */
export function endsOf() {
  const wires = names.map(name => ({ code: verdicts[name], name, now: wire(bit, { name: `ends_${name}` }) })),
    verdict = reg(uint(verdictBits), { init: verdicts.done, name: "verdict" }),
    finished = reg(bit, { init: 0, name: "finished" });
  for (const w of wires) w.now.set(0);
  return {
    verdict,
    finished,
    end: (v: Verdict): void => {
      for (const w of wires) if (w.name === v) w.now.set(1);
    },
    /** Behind all who end it. */
    finish: (): void => {
      const any = node(orTree(wires.map(w => w.now)), { name: "ends" }),
        bits = Array.from({ length: verdictBits }, (_, i) =>
          orTree(wires.filter(w => ((w.code >> i) & 1) === 1).map(w => w.now)),
        );
      finished.set(any);
      when(any, () => verdict.set(fromBits(bits).is(verdictBits)));
    },
  };
}
