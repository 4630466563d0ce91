/** Packets come in; a client's area is judged, finds its commit, and is kept. */
import { cat, decode, type FsmControl, mux, node, reg, type UInt, uint, when } from "../../../hdl-dsl/index.ts";
import { clioHeader, frameOffsets } from "../../clio/wire/index.ts";
import { cutFields } from "../../shared/frame/index.ts";
import { bounds, submitHead, submitKinds, taskAreas, taskNodes, verdicts } from "../wire/index.ts";
import { areaBits, beatBits, Phase } from "./records.ts";
import { type Ends, flag, load, type State, type StateName } from "./state.ts";

type Go = FsmControl<StateName>;

/** The head of a message: its first bytes are the header's, and those behind it the payload's. */
export const bodyOf = (beat: UInt, header: UInt): UInt =>
  cat(beat.trunc(8 * frameOffsets.body), header.bits(8 * frameOffsets.body, header.width - 8 * frameOffsets.body)).is(
    512,
  );

/** The head of the packet at hand, and what is found of it. */
export function areaOf(s: State) {
  const beat = reg(uint(512), { name: "first_beat" }),
    { who, p } = s,
    head = cutFields(submitHead, bodyOf(beat, who.header), 0);
  const scan = {
    found: flag("is_found"),
    free: flag("has_free"),
    at: reg(uint(Math.log2(p.contexts)), { name: "found_at" }),
    freeAt: reg(uint(Math.log2(p.contexts)), { name: "free_at" }),
  };
  return {
    ...{ beat, head, scan },
    answer: flag("is_answer"),
    area: flag("is_area"),
    sound: flag("is_sound"),
    fits: flag("has_its_place"),
    known: flag("owner_is_known"),
    same: flag("is_same_number"),
    newer: flag("is_newer"),
    index: reg(uint(beatBits), { init: 0, name: "area_beat" }),
    verdict: reg(uint(8), { init: 0, name: "refuses_with" }),
  };
}
export type AreaAt = ReturnType<typeof areaOf>;

export function askedOf({ headers: { ethernet, ip, udp, clio }, who }: State) {
  return {
    ...{ mac: ethernet.src.is(48), to: ethernet.dst.is(48), ip: ip.src.is(32), port: udp.srcPort.is(16) },
    ...{ pid: clio.pid.is(16), tag: clio.tag.is(8), seqId: clio.seqId.is(8) },
    flags: cat(clio.flagRetry, clio.flagTracked, clio.flagRepl, clio.flagRoute).is(4),
    requestId: clio.requestId.is(32),
    retryOf: clio.retryOf.is(32),
    ingress: who.ingress.resize(4),
  };
}

/** What a packet is. */
export function arriving(go: Go, s: State, a: AreaAt, io: Ends) {
  const { data, last } = io.payload.payload;
  return {
    Class: () => {
      a.area.set(s.is.area);
      a.answer.set(s.is.answer);
      go.go("Sort");
    },
    Sort: () => {
      s.drops.set(a.area.or(a.answer));
      s.draining.set(s.some);
      go.go("Answer");
      when(a.area.or(a.answer), () => {
        s.draining.set(0);
        go.go("Head");
      });
    },
    Head: () => {
      a.beat.set(data);
      when(io.payload.valid, () => {
        s.draining.set(last.not());
        go.go("Look");
        when(a.area, () => {
          // The beats of its data are taken one by one.
          s.draining.set(0);
          go.go("Judge");
        });
      });
    },
  };
}

/** Whether an area is one, and which context has its client's commit or is free. */
export function judging(go: Go, s: State, a: AreaAt) {
  const rest = node(s.who.payloadBytes.gt(64), { name: "has_more_beats" });
  return {
    Judge: () => {
      const { head } = a,
        { clio } = s.headers,
        { length } = head;
      const lines = length.shr(6).trunc(5),
        within = head.va
          .bits(6, 6)
          .zext(7)
          .add(lines.zext(7))
          .le(bounds.pageBytes / bounds.granule);
      a.sound.set(
        head.kind
          .eq(submitKinds.area)
          .and(head.area.lt(head.areas))
          .and(head.areas.le(taskAreas))
          .and(clio.size.zext(18).eq(length.zext(18).add(clioHeader.bytes + submitHead.bytes))),
      );
      a.fits.set(
        length
          .bits(0, 6)
          .any()
          .or(head.va.bits(0, 6).any())
          .or(lines.any().not())
          .or(length.gt(bounds.areaBytes))
          .not()
          .and(within),
      );
      const owner = decode(head.owner.bits(0, 4), taskNodes);
      a.known.set(
        head.owner
          .shr(4)
          .any()
          .or(head.replicas.and(s.config.known.not()).any())
          .or(head.replicas.and(owner).any())
          .or(owner.and(s.config.known).any().not())
          .not(),
      );
      s.i.set(0);
      s.c.set(0);
      for (const r of [a.scan.found, a.scan.free]) r.set(0);
      go.go("Scan");
      when(head.kind.eq(submitKinds.owes), () => {
        a.verdict.set(verdicts.done);
        s.to.set(head.owner.trunc(s.to.width));
        go.go("Owes");
      });
    },
    // The director asks before it opens a node that was lost.
    Owes: () => {
      const held = s.contexts.readAsync(s.c),
        one = decode(s.to, taskNodes),
        isLive = s.live.now.and(s.one(s.c)).any(),
        settles = held.phase.eq(Phase.update).or(held.phase.eq(Phase.commit)),
        owes = settles
          .and(held.owners.or(held.replicas).and(one).any())
          .or(held.phase.eq(Phase.forgetReplicas).and(held.owners.and(one).any()));
      when(isLive.and(owes), () => a.verdict.set(verdicts.busy));
      s.c.set(s.c.add(1));
      when(s.c.all(), () => {
        s.draining.set(rest);
        go.go("Refuse");
      });
    },
    Scan: () => {
      const held = s.contexts.readAsync(s.c),
        { ip, udp } = s.headers,
        isLive = s.live.now.and(s.one(s.c)).any().andNot(held.phase.eq(Phase.free)),
        mine = isLive.and(held.ip.eq(ip.src)).and(held.port.eq(udp.srcPort));
      when(mine, () => {
        a.scan.found.set(1);
        a.scan.at.set(s.c);
      });
      when(isLive.not(), () => {
        a.scan.free.set(1);
        a.scan.freeAt.set(s.c);
      });
      s.c.set(s.c.add(1));
      when(s.c.all(), () => go.go("Found"));
    },
    Found: () => {
      a.verdict.set(verdicts.refused);
      s.c.set(mux(a.scan.found, a.scan.at, a.scan.freeAt));
      s.draining.set(rest);
      go.go("Refuse");
      when(a.sound.and(a.fits).and(a.known), () => {
        a.verdict.set(verdicts.busy);
        when(a.scan.found.or(a.scan.free), () => {
          s.draining.set(0);
          go.go("Known");
        });
      });
    },
  };
}
/** Whose commit it is: it begins one, adds to one, or asks what came of it. */
export function taking(go: Go, s: State, a: AreaAt, io: Ends) {
  const { k } = s,
    { head } = a,
    part = head.area.bits(0, areaBits);
  return {
    Known: () => {
      load(s);
      const { number } = s.contexts.readAsync(s.c),
        ahead = head.number.sub(number);
      a.same.set(ahead.any().not());
      a.newer.set(ahead.any().andNot(ahead.bit(31)));
      go.go("Choose");
    },
    Choose: () => {
      const gathers = k.phase.eq(Phase.gather),
        isDone = k.phase.eq(Phase.done),
        isFresh = node(a.scan.found.not().or(a.newer.and(gathers.or(isDone))), { name: "begins_a_commit" }),
        isOver = isDone.or(k.phase.eq(Phase.forgetReplicas)).or(k.phase.eq(Phase.forget)),
        has = k.have.and(decode(part, taskAreas)).any();
      a.index.set(0);
      s.draining.set(s.who.payloadBytes.gt(64));
      when(isFresh, () => {
        const { ip, udp } = s.headers;
        k.phase.set(Phase.gather);
        k.ip.set(ip.src.is(32));
        k.port.set(udp.srcPort.is(16));
        k.number.set(head.number.is(32));
        k.areas.set(head.areas.trunc(4));
        k.have.set(0);
        k.backoff.set(0);
        k.failure.set(0);
        s.live.set(s.one(s.c));
        s.tells.clear(s.one(s.c));
        s.draining.set(0);
        go.go("Take");
      })
        .elseWhen(a.same, () => {
          s.renames.set(1);
          go.go("Answer");
          when(isOver, () => s.tells.set(s.one(s.c)));
          when(gathers.and(k.areas.zext(8).ne(head.areas)), () => {
            a.verdict.set(verdicts.refused);
            s.renames.set(0);
            go.go("Refuse");
          }).elseWhen(gathers.andNot(has), () => {
            s.draining.set(0);
            go.go("Take");
          });
        })
        .otherwise(() => {
          go.go("Answer");
          when(a.newer, () => go.go("Refuse"));
        });
    },
    Take: () => {
      k.have.set(k.have.or(decode(part, taskAreas)));
      // What comes keeps it: a client that goes on is not lost.
      k.old.set(0);
      s.renames.set(1);
      a.index.set(1);
      go.go("Body");
    },
    Body: () => {
      const lines = head.length.shr(6).trunc(beatBits);
      when(io.payload.valid, () => {
        a.index.set(a.index.add(1));
        when(a.index.eq(lines), () => {
          s.draining.set(io.payload.payload.last.not());
          s.i.set(0);
          go.go("Store");
          when(
            decode(k.areas, 2 * taskAreas)
              .sub(1)
              .trunc(taskAreas)
              .eq(k.have),
            () => go.go("Clear"),
          );
        });
      });
    },
    Refuse: () => go.go("Answer"),
  };
}
