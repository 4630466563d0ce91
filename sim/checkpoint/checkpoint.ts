/** A simulation at a moment, to go back to. */
import type { ModelState } from "../backend/backend.ts";
import { SimulationError } from "../errors.ts";
import type { Agent, Simulation } from "../simulation.ts";

/** What `Simulation.save` gives. `writeCheckpoint` keeps it in a file. */
export interface Checkpoint {
  /** Name of the top module. */
  readonly top: string;
  readonly model: ModelState;
  /** Of each clock domain: edges, and whether its agents are to drive before the next step. */
  readonly domains: readonly { readonly name: string; readonly cycle: number; readonly due: boolean }[];
  readonly random: readonly number[];
  /** Undefined: without them. */
  readonly agents: readonly { readonly name: string; readonly state: unknown }[] | undefined;
}

/** Each agent once, in the order in which they were made, clock by clock. */
function agentsOf(sim: Simulation): { readonly agent: Agent; readonly name: string }[] {
  return sim.domains.flatMap(d =>
    [...new Set([...d.samplers, ...d.drivers])].map(agent => ({
      agent,
      name: `${agent.constructor === Object ? "an agent without a name" : agent.constructor.name} on clock ${d.name}`,
    })),
  );
}

export function saveCheckpoint(sim: Simulation, withAgents: boolean): Checkpoint {
  const agents = withAgents ? agentsOf(sim) : [];
  const without = agents.filter(a => a.agent.save === undefined || a.agent.restore === undefined).map(a => a.name);
  if (without.length > 0)
    throw new SimulationError(
      `save: ${[...new Set(without)].join(", ")}: no save() and restore() there; add them, or save({ agents: false }) to leave all agents as they are`,
    );
  return {
    top: sim.design.emitted.top,
    model: sim.model.save(),
    domains: sim.domains.map(d => ({ name: d.name, cycle: d.cycle, due: d.due })),
    random: sim.random.save(),
    agents: withAgents ? agents.map(({ agent, name }) => ({ name, state: agent.save?.() })) : undefined,
  };
}

export function restoreCheckpoint(sim: Simulation, c: Checkpoint, withAgents: boolean): void {
  const waiting = sim.scheduler?.waits.size ?? 0;
  if (waiting > 0)
    throw new SimulationError(
      `restore: ${waiting} ${waiting === 1 ? "wait" : "waits"} of the bench would not know of it; restore when no other task waits`,
    );
  if (c.top !== sim.design.emitted.top)
    throw new SimulationError(`restore: the checkpoint is of ${c.top}, not of ${sim.design.emitted.top}`);
  const kept = withAgents ? c.agents : undefined,
    agents = kept === undefined ? [] : agentsOf(sim),
    here = agents.map(a => a.name).join(", "),
    there = kept?.map(a => a.name).join(", ") ?? "";
  if (here !== there)
    throw new SimulationError(
      `restore: the agents are ${here || "none"}, in the checkpoint ${there || "none"}; make the same ones in the same order, or restore with { agents: false }`,
    );
  sim.model.restore(c.model);
  c.domains.forEach(({ cycle, due }, i) => {
    const d = sim.domains[i];
    if (d === undefined) return;
    d.cycle = cycle;
    d.due = due;
  });
  sim.random.restore(c.random);
  agents.forEach(({ agent }, i) => agent.restore?.(structuredClone(kept?.[i]?.state)));
}
