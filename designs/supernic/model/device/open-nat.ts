/**
 * NAT as the scoreboard knows it. Which of its set's four bindings a flow gets depends on the order in which flows of
 * several ports come to the task, and no port shows that order. So each legal choice is accepted when a frame shows it,
 * and from then on the device is held to it: a flow has one binding, a binding one flow.
 */
import { natKey, type NatKey, natSet, natWays } from "../../wire/index.ts";
import type { NatTable } from "../tasks/index.ts";
import type { Choose } from "./choices.ts";

/** What a frame's way takes for true. */
export type Claim =
  /** The flow has this binding. `uses`: the frame itself makes or keeps it, on its way out. */
  | { readonly kind: "bound"; readonly flow: NatKey; readonly binding: number; readonly uses: boolean }
  /** The flow has none, and others have all that it could get. */
  | { readonly kind: "full"; readonly flow: NatKey }
  /** Nobody who may use it has the binding. */
  | { readonly kind: "free"; readonly binding: number; readonly asks: Pick<NatKey, "user" | "udp"> };

interface Bound {
  readonly flow: NatKey;
  readonly binding: number;
  /** Number of the step at which a frame showed it, and epoch in which it was last used at the least. */
  readonly shown: number;
  readonly used: number;
}
const nameOf = (flow: NatKey): string => natKey(flow).toString(16);
const setOf = (flow: NatKey): number => Number(natSet(natKey(flow)));
const bindingsOf = (flow: NatKey): number[] => Array.from({ length: natWays }, (_, way) => setOf(flow) * natWays + way);

export class OpenNat {
  readonly outside: number;
  readonly portHigh: number;
  readonly #life: number;
  readonly #byFlow = new Map<string, Bound>();
  readonly #byBinding = new Map<number, Bound>();
  /** Flows that have come and whose binding no frame has shown yet, by set. */
  readonly #hidden = new Map<number, Map<string, NatKey>>();
  #epoch = 0;

  constructor(outside: number, portHigh: number, life: number) {
    this.outside = outside;
    this.portHigh = portHigh;
    this.#life = life;
  }

  /** Software begins an epoch. */
  epoch(): void {
    this.#epoch++;
  }
  /** Bindings that frames have shown. */
  get bound(): number {
    return this.#byFlow.size;
  }

  /** The task's table for one frame, which chooses among what is legal and says in `claims` what it took for true. */
  tableFor(choose: Choose, claims: Claim[], entered: number): NatTable {
    return {
      outside: this.outside,
      portHigh: this.portHigh,
      bindingFor: flow => this.#bindingFor(flow, choose, claims),
      ownerOf: (binding, asks) => this.#ownerOf(binding, asks, choose, claims, entered),
    };
  }

  #bindingFor(flow: NatKey, choose: Choose, claims: Claim[]): number | undefined {
    const name = nameOf(flow),
      known = this.#byFlow.get(name);
    if (known === undefined) this.#hide(flow, name);
    const claimed = claims.find(c => c.kind === "bound" && nameOf(c.flow) === name);
    if (claimed?.kind === "bound") return claimed.binding;
    const free: (number | undefined)[] = bindingsOf(flow).filter(b => !this.#isTaken(b, name)),
      options = known !== undefined && !this.#mayBeOld(known) ? [known.binding] : [...free, undefined];
    const binding = choose(options);
    claims.push(binding === undefined ? { kind: "full", flow } : { kind: "bound", flow, binding, uses: true });
    return binding;
  }

  #ownerOf(
    binding: number,
    asks: Pick<NatKey, "user" | "udp">,
    choose: Choose,
    claims: Claim[],
    entered: number,
  ): NatKey | undefined {
    const known = this.#byBinding.get(binding),
      mayAsk = (flow: NatKey): boolean => flow.user === asks.user && flow.udp === asks.udp;
    const certain = known !== undefined && known.shown < entered && !this.#mayBeOld(known);
    if (certain) return mayAsk(known.flow) ? known.flow : undefined;
    const hidden = [...(this.#hidden.get(Math.floor(binding / natWays))?.values() ?? [])],
      flows = [...hidden, ...(known === undefined ? [] : [known.flow])].filter(mayAsk);
    const flow = choose([...flows, undefined]);
    claims.push(flow === undefined ? { kind: "free", binding, asks } : { kind: "bound", flow, binding, uses: false });
    return flow;
  }

  /** Whether it can still be as a frame's way takes it. @param entered step at which the frame came */
  possible(claims: readonly Claim[], entered: number): boolean {
    return claims.every(c => {
      if (c.kind === "bound") {
        const own = this.#byFlow.get(nameOf(c.flow));
        if (own !== undefined && own.binding !== c.binding && !this.#mayBeOld(own)) return false;
        return !this.#isTaken(c.binding, nameOf(c.flow));
      }
      if (c.kind === "full") return this.#mayBeFull(c.flow);
      const owner = this.#byBinding.get(c.binding);
      const mayAsk = owner !== undefined && owner.flow.user === c.asks.user && owner.flow.udp === c.asks.udp;
      return !mayAsk || owner.shown >= entered || this.#mayBeOld(owner);
    });
  }

  /** A frame has shown that it is so. @param entered epoch in which the frame came at the earliest */
  commit(claims: readonly Claim[], step: number): void {
    for (const c of claims) {
      if (c.kind !== "bound") continue;
      const name = nameOf(c.flow),
        before = this.#byFlow.get(name),
        same = before?.binding === c.binding ? before : undefined;
      if (before !== undefined && same === undefined) this.#byBinding.delete(before.binding);
      const other = this.#byBinding.get(c.binding);
      if (other !== undefined && nameOf(other.flow) !== name) this.#byFlow.delete(nameOf(other.flow));
      // A frame that left in this epoch may have been translated in the one before.
      const used = c.uses ? Math.max(same?.used ?? 0, this.#epoch - 1) : (same?.used ?? this.#epoch - 1);
      const bound = { flow: c.flow, binding: c.binding, shown: same?.shown ?? step, used };
      this.#byFlow.set(name, bound);
      this.#byBinding.set(c.binding, bound);
      this.#hidden.get(setOf(c.flow))?.delete(name);
    }
  }

  #hide(flow: NatKey, name: string): void {
    const set = this.#hidden.get(setOf(flow)) ?? new Map<string, NatKey>();
    this.#hidden.set(setOf(flow), set.set(name, flow));
  }
  /** It may have been given to another flow: nothing has used it for so long that it may be free. */
  #mayBeOld(b: Bound): boolean {
    return this.#epoch - b.used > this.#life;
  }
  /** Another flow has it for certain. */
  #isTaken(binding: number, name: string): boolean {
    const owner = this.#byBinding.get(binding);
    return owner !== undefined && nameOf(owner.flow) !== name && !this.#mayBeOld(owner);
  }
  /** All that the flow could get may be others'. */
  #mayBeFull(flow: NatKey): boolean {
    const name = nameOf(flow);
    if (this.#byFlow.has(name)) return false;
    const shown = bindingsOf(flow).filter(b => this.#byBinding.has(b)).length,
      hidden = [...(this.#hidden.get(setOf(flow))?.keys() ?? [])].filter(n => n !== name).length;
    return shown + hidden >= natWays;
  }
}
