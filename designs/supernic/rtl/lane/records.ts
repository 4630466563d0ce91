/** What the switch lane's parts hand on. */
import { bit, struct, uint } from "../../../../hdl-dsl/index.ts";
import { classBits, type DeviceSizes, inlets } from "../inside/index.ts";
import { portBits } from "../match/index.ts";

type Ports = Pick<DeviceSizes, "ports">;

/** Where the beats of a frame come from: an inlet, or behind them software. One bit. */
export const Source = (p: Ports) => uint(inlets(p) + 1);
/** A frame whose beats are to be taken. */
export const Coming = (p: Ports) =>
  struct({
    from: Source(p),
    /** Bytes of its last beat, 0: all of them. */
    lastBytes: uint(6),
  });
/** What is done to a frame, and where it goes. */
export const Bound = (p: Ports) =>
  struct({
    redirect: bit,
    unwrap: bit,
    /** Ports, the loop port last, and behind it software. None: it is dropped. */
    to: uint(inlets(p) + 1),
    class: uint(classBits),
    mac: uint(48),
    ingress: uint(portBits),
    shimmed: bit,
    ttl: uint(4),
    uid: uint(16),
    late: bit,
  });
