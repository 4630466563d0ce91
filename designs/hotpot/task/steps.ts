/** What the task does of itself: messages that are due, answers to clients, times that end, nodes that were lost. */
import {
  type Bit,
  cat,
  constant,
  decode,
  firstSet,
  type FsmControl,
  mux,
  node,
  type UInt,
  when,
} from "../../../hdl-dsl/index.ts";
import { udpPorts } from "../../clio/wire/index.ts";
import {
  askKey,
  bounds,
  commitOpcode,
  commitReplyOpcode,
  copiesRow,
  kinds,
  ownersRow,
  states,
  taskNodes,
  verdicts,
} from "../wire/index.ts";
import { type AreaAt, askedOf } from "./areas.ts";
import { areaBits, Phase } from "./records.ts";
import { load, modes, type State, type StateName } from "./state.ts";

type Go = FsmControl<StateName>;

/** Rows of what is awaited, one after the other; a message for each node in them. */
export function walking(go: Go, s: State) {
  const { walk, i, c } = s,
    pick = firstSet(walk.left);
  return {
    Row: () => {
      when(walk.loaded.not(), () => {
        walk.loaded.set(1);
        walk.left.set(s.rows.readAsync(s.rowAt(c, i)));
      })
        .elseWhen(walk.left.any(), () => {
          walk.left.set(walk.left.and(walk.left.sub(1)));
          s.to.set(pick.index.is(s.to.width));
          load(s);
          go.go("Make");
        })
        .otherwise(() => {
          walk.loaded.set(0);
          walk.row.set(walk.row.add(1));
          i.set(i.add(1));
          when(i.eq(copiesRow), () => {
            walk.on.set(0);
            s.aged.clear(s.one(c));
            go.go("Idle");
          });
        });
    },
    Make: () => go.go("Idle"),
  };
}

/** The message to the node at hand in the row at hand. */
export function messageOf(s: State) {
  const { k, i, c, to, config } = s,
    area = s.areas.readAsync(s.areaAt(c, i.trunc(areaBits))),
    place = config.nodeAt(to),
    one = decode(to, taskNodes).is(taskNodes);
  const ofArea = node(i.bit(areaBits).not(), { name: "is_of_area" }),
    prepares = node(ofArea.and(area.owner.eq(to)), { name: "is_prepare" }),
    updates = node(ofArea.andNot(area.owner.eq(to)), { name: "is_update" }),
    isCopy = node(updates.or(i.eq(copiesRow)), { name: "is_of_copies" }),
    redoes = mux(prepares, k.phase.eq(Phase.prepare).not(), updates.and(config.closed.and(one).any())),
    wide = mux(k.phase.eq(Phase.commit).and(i.eq(ownersRow)), constant(kinds.commit, 3), constant(kinds.forget, 3)),
    kind = mux(ofArea, mux(prepares, constant(kinds.prepare, 3), constant(kinds.update, 3)), wide).is(3),
    lane = s.lane(c).resize(16);
  const key: readonly (readonly [number, UInt])[] = [
    [askKey.context, c.zext(askKey.node - askKey.context)],
    [askKey.node, to],
    [askKey.row, i],
    [askKey.kind, kind],
    [askKey.round, config.round],
    [askKey.seq, k.seq.trunc(32 - askKey.seq)],
  ];
  return {
    ...{ mac: place.mac, from: config.mac, ip: place.ip, port: constant(udpPorts.native, 16), ownPort: config.port },
    ...{ pid: config.pid, tag: constant(0, 8), opcode: constant(commitOpcode, 8), flags: constant(0, 4) },
    ...{ seqId: constant(0, 8), requestId: cat(...key.map(([, v]) => v).toReversed()).is(32) },
    ...{ retryOf: constant(0, 32), egress: place.port, kind: kind.zext(8) },
    part: mux(prepares, s.parts.readAsync(s.areaAt(c, i.trunc(areaBits))).zext(8), 0).is(8),
    parts: mux(prepares, s.counts.readAsync(s.rowAt(c, area.owner)).areas.zext(8), 1).is(8),
    marks: cat(constant(0, 6), redoes, prepares.and(k.merged)).is(8),
    lane: mux(isCopy, lane.add(bounds.lanes / 2), lane).is(16),
    owners: k.owners,
    seq: k.seq,
    replicas: s.counts.readAsync(s.rowAt(c, area.owner)).replicas,
    lines: mux(ofArea, area.lines, 0).is(5),
    context: c.zext(4),
    area: i.trunc(areaBits),
  };
}

/** An answer to a client, of what it asked last: how its commit ended, or why it is none. */
export function replyOf(s: State, a: AreaAt, isRefusal: Bit) {
  const { k, c } = s,
    asked = mux(isRefusal, askedOf(s), s.askeds.readAsync(c));
  const failed = mux(k.failure, constant(verdicts.failed, 8), constant(verdicts.done, 8)),
    told = isRefusal.not();
  return {
    ...{ mac: asked.mac, from: asked.to, ip: asked.ip, port: asked.port, ownPort: constant(udpPorts.native, 16) },
    ...{ pid: asked.pid, tag: asked.tag, opcode: constant(commitReplyOpcode, 8), flags: asked.flags },
    ...{ seqId: asked.seqId, requestId: asked.requestId, retryOf: asked.retryOf, egress: asked.ingress },
    kind: mux(isRefusal, a.verdict, failed).is(8),
    part: constant(0, 8),
    parts: mux(told.andNot(k.failure), constant(states.committed, 8), constant(states.free, 8)).is(8),
    marks: mux(told, k.have, 0).is(8),
    lane: mux(told, s.lane(c).resize(16), 0).is(16),
    owners: mux(told, k.owners, 0).is(16),
    seq: mux(told, k.number, a.head.number).is(32),
    replicas: mux(told, k.replicas, 0).is(16),
    lines: constant(0, 5),
    context: c.zext(4),
    area: constant(0, areaBits),
  };
}

/** A time has ended for a commit; an answer is due; nodes were lost. */
export function steps(go: Go, s: State) {
  const { k, c, nodes, config } = s;
  const isOwner = node(k.owners.and(nodes).any(), { name: "lost_is_owner" }),
    isHere = node(isOwner.or(k.replicas.and(nodes).any()), { name: "lost_is_here" });
  return {
    Visit: () => {
      load(s);
      go.go("Act");
    },
    Act: () => {
      s.i.set(0);
      go.go("Store");
      when(k.phase.eq(Phase.wait), () => {
        k.left.set(k.left.sub(1));
        when(k.left.any().not(), () => go.go("Clear"));
      }).elseWhen(k.phase.eq(Phase.gather).or(k.phase.eq(Phase.done)), () => {
        k.old.set(1);
        when(k.old, () => k.phase.set(Phase.free));
      });
    },
    Tell: () => {
      load(s);
      go.go("Told");
    },
    Told: () => go.go("Idle"),
    Lost: () => {
      nodes.set(config.lost);
      config.seen(config.lost);
      s.losing.set(1);
      c.set(0);
      go.go("LostOne");
    },
    LostOne: () => {
      load(s);
      go.go("LostAct");
    },
    LostAct: () => {
      s.i.set(0);
      s.mode.set(modes.lostEnd);
      go.go("Store");
      const settles = k.phase.eq(Phase.update).or(k.phase.eq(Phase.commit)),
        ends = k.phase.eq(Phase.abort).or(k.phase.eq(Phase.forget)).or(k.phase.eq(Phase.forgetReplicas));
      when(k.phase.eq(Phase.prepare).and(isOwner), () => {
        k.phase.set(Phase.abort);
        s.mode.set(modes.phase);
        go.go("Fill");
      }).elseWhen(settles.or(ends).and(isHere), () => {
        go.go("Fill");
        when(settles, () => {
          k.prepared.set(k.prepared.and(nodes.not()));
          s.mode.set(modes.lost);
        });
      });
    },
  };
}
