/** A node's answer finds the message that awaits it, and what it says of the commit. */
import { bit, decode, type FsmControl, node, reg, uint, when } from "../../../hdl-dsl/index.ts";
import { cutFields } from "../../shared/frame/index.ts";
import { askKey, commitAnswer, kinds, ownersRow, states, taskNodes, verdicts } from "../wire/index.ts";
import { type AreaAt, bodyOf } from "./areas.ts";
import { areaBits, Phase, rowBits } from "./records.ts";
import { asks, flag, load, modes, type State, type StateName } from "./state.ts";

export function answering(go: FsmControl<StateName>, s: State, a: AreaAt) {
  const { k, to, headers } = s,
    said = cutFields(commitAnswer, bodyOf(a.beat, s.who.header), 0),
    key = headers.clio.requestId;
  const fits = flag("answer_fits"),
    awaited = flag("is_awaited"),
    isOwner = flag("is_of_owner"),
    row = reg(uint(taskNodes), { name: "awaited_row" });
  const isKind = (kind: keyof typeof kinds) => key.bits(askKey.kind, 3).eq(kinds[kind]),
    verdict = (...names: (keyof typeof verdicts)[]) =>
      names.map(n => said.verdict.eq(verdicts[n])).reduce((x, y) => x.or(y)),
    state = (...names: (keyof typeof states)[]) => names.map(n => said.state.eq(states[n])).reduce((x, y) => x.or(y)),
    one = decode(to, taskNodes).is(taskNodes);
  const clear = (): void => {
    s.rowPort.write(s.rowAt(s.c, s.i), row.and(one.not()));
    s.i.set(0);
    go.go("Sweep");
  };
  const fill = (mode: keyof typeof modes): void => {
    s.mode.set(modes[mode]);
    s.i.set(0);
    go.go("Fill");
  };
  return {
    Look: () => {
      s.c.set(key.bits(askKey.context, s.c.width));
      s.i.set(key.bits(askKey.row, rowBits));
      to.set(key.bits(askKey.node, to.width));
      go.go("Match");
    },
    Match: () => {
      load(s);
      const held = s.contexts.readAsync(s.c),
        from = s.config.nodeAt(to);
      fits.set(
        held.seq
          .eq(said.seq)
          .and(from.ip.eq(headers.ip.src))
          .and(from.port.eq(s.who.ingress.resize(4)))
          .and(key.bits(askKey.round, 4).eq(s.config.round))
          .and(key.bits(askKey.context, 4).eq(s.c.zext(4))),
      );
      const awaits = s.rows.readAsync(s.rowAt(s.c, s.i));
      row.set(awaits);
      awaited.set(awaits.and(one).any());
      isOwner.set(s.areas.readAsync(s.areaAt(s.c, s.i.trunc(areaBits))).owner.eq(to));
      go.go("Decide");
    },
    Decide: () => {
      const ofArea = s.i.bit(areaBits).not(),
        rightKind = node(
          ofArea
            .and(isOwner.and(isKind("prepare")).or(isOwner.not().and(isKind("update"))))
            .or(ofArea.not().and(s.i.eq(ownersRow)).and(k.phase.eq(Phase.commit)).and(isKind("commit")))
            .or(ofArea.not().andNot(k.phase.eq(Phase.commit)).and(isKind("forget"))),
          { name: "is_right_kind" },
        ),
        counts = node(fits.and(awaited).and(rightKind).and(asks(k.phase)), { name: "answer_counts" });
      go.go("Answer");
      when(counts.andNot(verdict("cold")), () => {
        when(isKind("prepare"), () => {
          when(verdict("done"), () => go.go("Asks")).elseWhen(
            k.phase.eq(Phase.prepare).andNot(k.merged.and(state("prepared", "committed"))),
            () => {
              // With a whole log a merged commit has begun to go home: it is tried again.
              k.failure.set(verdict("busy", "stale").not().is(bit.width));
              k.phase.set(Phase.abort);
              fill("phase");
            },
          );
        })
          .elseWhen(isKind("commit").and(verdict("unknown")), () => {
            s.nodes.set(one);
            k.prepared.set(k.prepared.and(one.not()));
            fill("redo");
          })
          .elseWhen(verdict("done", "stale").or(isKind("forget").and(verdict("refused"))), clear);
      });
    },
    /** An area is logged; of a commit that is decided the node may be asked to commit now. */
    Asks: () => {
      clear();
      when(state("committed").or(state("prepared").andNot(k.merged)), () => k.prepared.set(k.prepared.or(one)));
      when(k.phase.eq(Phase.commit).and(state("prepared")).andNot(k.merged), () => go.go("AddCommit"));
    },
    AddCommit: () => {
      const at = s.rowAt(s.c, s.i.add(ownersRow));
      s.rowPort.write(at, s.rows.readAsync(at).or(one));
      s.walks.set(s.one(s.c));
      go.go("Store");
    },
  };
}
