import { bit, enumOf, struct, uint } from "../../../../hdl-dsl/index.ts";
import { derived, type Parameters } from "../../config/index.ts";
import { statusWidth } from "../records/records.ts";

/**
 * What is known of a set's ways but their tags, a bit for each way. LegoOS has two bits a line (§3.4.2): valid, and
 * writable. Not valid and writable says here that the way waits for its line.
 */
export const SetState = (p: Parameters) =>
  struct({
    valid: uint(p.ways),
    writable: uint(p.ways),
    dirty: uint(p.ways),
    used: uint(p.ways),
    pointer: uint(derived(p).wayBits),
  });

export const OpKind = enumOf("OpKind", ["access", "finish", "sweep", "clear", "evict"]);

/** What goes through the two stages. */
export const Op = (p: Parameters) =>
  struct({
    kind: OpKind,
    /** An access that is looked up again, from the waiting ones. */
    again: bit,
    /** How its miss has failed: 0 when it has not. */
    failed: uint(statusWidth),
    index: uint(derived(p).setBits),
    tag: uint(derived(p).tagBits),
    beat: uint(derived(p).beatBits),
    write: bit,
    /** Of `finish` and `evict`. */
    way: uint(derived(p).wayBits),
    miss: uint(derived(p).missBits),
    fill: bit,
    release: bit,
    fetched: bit,
    status: uint(statusWidth),
    writable: bit,
  });
