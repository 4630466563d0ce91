/** What is awaited in each phase, and which phase is next. */
import { type Bit, decode, type FsmControl, mux, node, reg, type UInt, uint, when } from "../../../hdl-dsl/index.ts";
import { copiesRow, ownersRow, taskNodes } from "../wire/index.ts";
import { areaBits, backoffBits, mostBackoff, Phase } from "./records.ts";
import { modes, type State, type StateName } from "./state.ts";

const lastNode = taskNodes - 1;

/** A try begins: the owners and their areas are counted. */
function beginning(go: FsmControl<StateName>, s: State) {
  const { k, i, c } = s,
    owners = reg(uint(taskNodes), { init: 0, name: "owners_found" }),
    replicas = reg(uint(taskNodes), { init: 0, name: "replicas_found" });
  const countAt = (at: UInt) => s.rowAt(c, at);
  const area = s.areas.readAsync(s.areaAt(c, i.trunc(areaBits))),
    before = s.counts.readAsync(countAt(area.owner)),
    owner = decode(area.owner, taskNodes).is(taskNodes);
  return {
    Clear: () => {
      s.rowPort.write(s.rowAt(c, i), s.nodes.and(0));
      s.countPort.write(countAt(i), s.nodes.and(0).zext(s.countPort.data.width));
      owners.set(0);
      replicas.set(0);
      s.mixed.set(0);
      i.set(i.add(1));
      when(i.eq(lastNode), () => {
        i.set(0);
        go.go("Count");
      });
    },
    Count: () => {
      s.rowPort.write(s.rowAt(c, i), owner);
      // The areas of an owner have the same copies: whoever takes over reads that from one of them.
      when(before.areas.any().and(before.replicas.ne(area.replicas)), () => s.mixed.set(1));
      s.countPort.write(countAt(area.owner), s.countOf(before.areas.add(1), area.replicas));
      owners.set(owners.or(owner));
      replicas.set(replicas.or(area.replicas));
      i.set(i.add(1));
      when(i.add(1).eq(k.areas), () => go.go("Merge"));
    },
    Merge: () => {
      k.owners.set(owners);
      k.replicas.set(replicas);
      k.merged.set(owners.and(owners.sub(1)).any().not());
      k.prepared.set(0);
      k.failure.set(s.mixed);
      k.phase.set(mux(s.mixed, Phase.done, Phase.prepare));
      k.old.set(0);
      when(s.mixed, () => s.tells.set(s.one(c))).otherwise(() => {
        k.seq.set(mux(s.numbered.now.and(s.one(c)).any(), k.seq.add(1), s.config.first));
        s.numbered.set(s.one(c));
        s.walks.set(s.one(c));
      });
      go.go("Store");
    },
  };
}

/** The rows of what is awaited become those of the phase, or get what is owed besides. */
function filling(go: FsmControl<StateName>, s: State) {
  const { k, i, c, nodes } = s;
  const at = s.rowAt(c, i),
    row = s.rows.readAsync(at),
    area = s.areas.readAsync(s.areaAt(c, i.trunc(areaBits))),
    isArea = node(i.lt(k.areas), { name: "is_area_row" }),
    isOwners = node(i.eq(ownersRow), { name: "is_owners_row" }),
    isCopies = node(i.eq(copiesRow), { name: "is_copies_row" });
  const is = (mode: keyof typeof modes): Bit => s.mode.eq(modes[mode]),
    none = nodes.and(0),
    only = (en: Bit, mask: UInt) => mux(en, mask, none).is(taskNodes);
  const inPhase = only(isArea.and(k.phase.eq(Phase.update)), area.replicas)
    .or(
      only(
        isOwners.and(
          k.phase.eq(Phase.abort).or(k.phase.eq(Phase.forget)).or(k.phase.eq(Phase.commit).andNot(k.merged)),
        ),
        k.owners,
      ),
    )
    .or(only(isCopies.and(k.phase.eq(Phase.forgetReplicas)), k.replicas));
  const owed = only(isArea, decode(area.owner, taskNodes).is(taskNodes).and(nodes)),
    copies = only(isArea.and(is("lost")), area.replicas.and(nodes)),
    // A COMMIT waits until the node has its log again.
    redone = row.and(only(isOwners, nodes).not()).or(owed).or(copies),
    ended = row.or(only(isCopies.or(isOwners.andNot(k.phase.eq(Phase.forgetReplicas))), nodes));
  return {
    Fill: () => {
      s.rowPort.write(at, mux(is("phase"), inPhase, mux(is("lostEnd"), ended, redone)));
      // Whoever walks there begins anew.
      s.walks.set(s.one(c));
      when(s.walk.at.eq(c), () => s.walk.on.set(0));
      i.set(i.add(1));
      when(isCopies, () => {
        i.set(0);
        go.go("Sweep");
      });
    },
    Sweep: () => {
      i.set(i.add(1));
      when(row.any(), () => go.go("Store")).elseWhen(isCopies, () => go.go("Advance"));
    },
  };
}

/** Nothing is awaited. */
function advancing(go: FsmControl<StateName>, s: State) {
  const { k, i, c } = s;
  const missing = node(k.owners.and(k.prepared.not()), { name: "missing" }),
    some = node(missing.any(), { name: "some_are_missing" }),
    step = node(s.lane(c).zext(backoffBits).add(1), { name: "backoff_step" });
  const next = (phase: "update" | "commit" | "forgetReplicas" | "forget" | "wait" | "done"): void =>
    k.phase.set(Phase[phase]);
  return {
    Advance: () => {
      i.set(0);
      s.mode.set(modes.phase);
      go.go("Fill");
      // All areas have been taken and no answer says that the log is whole: the node was reset between.
      when(some.and(k.phase.eq(Phase.prepare).or(k.phase.eq(Phase.commit))), () => {
        s.nodes.set(missing);
        s.mode.set(modes.redo);
      })
        .elseWhen(k.phase.eq(Phase.prepare), () => next("update"))
        .elseWhen(k.phase.eq(Phase.update), () => next("commit"))
        .elseWhen(k.phase.eq(Phase.commit), () => {
          s.tells.set(s.one(c));
          next("forgetReplicas");
        })
        .elseWhen(k.phase.eq(Phase.forgetReplicas), () => next("forget"))
        .otherwise(() => {
          k.old.set(0);
          go.go("Store");
          when(k.phase.eq(Phase.abort).andNot(k.failure), () => {
            next("wait");
            const wait = mux(
              k.backoff.lt(step.shl(Math.log2(mostBackoff)).trunc(backoffBits)),
              k.backoff.add(step),
              k.backoff,
            );
            k.backoff.set(wait);
            k.left.set(wait);
          }).otherwise(() => {
            next("done");
            when(k.failure, () => s.tells.set(s.one(c)));
          });
        });
    },
  };
}
export const phaseSteps = (go: FsmControl<StateName>, s: State) => ({
  ...beginning(go, s),
  ...filling(go, s),
  ...advancing(go, s),
});
