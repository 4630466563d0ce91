/**
 * A small executable model of the retry buffer's places and their turns, with a network and clients that do what
 * they may, and a search through all that can happen. It knows no time but ticks: a frame lives for `life` of them
 * after the one in which it was sent, and may arrive in each of them, any number of times, in any order, or never.
 */

/** The rule, and what may be wrong with it. */
export interface Rule {
  /** Ticks until a silent client may be forgotten; as long is each part of a turn. */
  readonly idle: number;
  /** In the first part, new operations of the client whose turn it is end for good: YIELD. In a second: BUSY. */
  readonly parts: 1 | 2;
  /** Faults: refused with YIELD in the second part too; the client is let off before it is forgotten. */
  readonly yieldsLate?: boolean;
  readonly letsOff?: boolean;
  /** A client asks anew under another number after BUSY, and not only after YIELD. */
  readonly renewsAfterBusy?: boolean;
}
export interface Size {
  readonly clients: number;
  readonly places: number;
  /** Of each client: things to do, and numbers that it has for them, for renewed ones and for greetings. */
  readonly tasks: number;
  readonly numbers: number;
  readonly life: number;
  /** Others want in, whenever it may be: a turn can begin at any time, and a free place need not be had by anybody. */
  readonly crowd: boolean;
}

interface Place {
  readonly client: number;
  mark: number;
  /** Operations that are remembered. */
  done: readonly number[];
  /** Ticks since the client was heard of, and since its turn began; -1: it is not its turn. */
  quiet: number;
  turn: number;
}
interface Task {
  /** 0: not begun. */
  number: number;
  /** Executions: one is the most that may be. */
  times: number;
}
interface Client {
  next: number;
  readonly tasks: readonly Task[];
  /** Numbers for which YIELD, or BUSY, was answered: that may reach the client at any time from then on. */
  yields: readonly number[];
  busy: readonly number[];
}
/** A frame on its way; task -1: a greeting. */
interface Frame {
  readonly client: number;
  readonly number: number;
  readonly task: number;
  readonly first: boolean;
  age: number;
}
interface State {
  readonly places: (Place | null)[];
  readonly clients: Client[];
  frames: readonly Frame[];
}
interface Step {
  readonly says: string;
  readonly state: State;
}
export interface Found {
  readonly states: number;
  /** How an operation was done twice: what happened, in order. */
  readonly twice: readonly string[] | undefined;
  /** What came about at all: a search in which nothing happens shows nothing. */
  readonly happened: ReadonlySet<string>;
}

/** Lists of numbers and frames are never changed in place, so copies share them. */
const copy = (s: State): State => ({
  places: s.places.map(p => p && { ...p }),
  clients: s.clients.map(c => ({ ...c, tasks: c.tasks.map(t => ({ ...t })) })),
  frames: s.frames,
});
const isFrame = (a: Frame, b: Frame): boolean =>
  a.client === b.client && a.number === b.number && a.first === b.first && a.task === b.task;

/** A frame that is sent again is as young as the younger of the two. */
function send(s: State, frame: Frame): void {
  s.frames = [...s.frames.filter(f => !isFrame(f, frame)), frame];
}
const add = (list: readonly number[], n: number): number[] => (list.includes(n) ? [...list] : [...list, n].sort());

/** The client's own doings: it greets, begins, repeats and asks anew whenever it likes. */
function* clientSteps(s: State, size: Size, rule: Rule): Generator<Step> {
  for (const [c, client] of s.clients.entries()) {
    const fresh = client.next <= size.numbers;
    if (fresh) {
      const to = copy(s),
        own = to.clients[c] as Client;
      send(to, { client: c, number: own.next++, task: -1, first: true, age: 0 });
      yield { says: `client ${c} greets`, state: to };
    }
    for (const [t, task] of client.tasks.entries()) {
      const begun = task.number > 0,
        over = client.yields.includes(task.number) || (rule.renewsAfterBusy && client.busy.includes(task.number));
      if (fresh && (!begun || over)) {
        const to = copy(s),
          own = to.clients[c] as Client,
          number = own.next++;
        (own.tasks[t] as Task).number = number;
        send(to, { client: c, number, task: t, first: true, age: 0 });
        yield { says: `client ${c} ${begun ? "renews" : "begins"} task ${t} as ${number}`, state: to };
      }
      if (begun) {
        const to = copy(s);
        send(to, { client: c, number: task.number, task: t, first: false, age: 0 });
        yield { says: `client ${c} repeats ${task.number}`, state: to };
      }
    }
  }
}

/** The node takes a frame. @returns what it does with it */
function take(s: State, f: Frame, rule: Rule): string {
  const client = s.clients[f.client] as Client;
  let place = s.places.find(p => p?.client === f.client);
  if (!place) {
    if (!f.first) return f.task < 0 ? "passes" : "EXPIRED";
    const free = s.places.indexOf(null);
    if (free < 0) {
      if (f.task >= 0) client.busy = add(client.busy, f.number);
      // Who is silent is forgotten; otherwise somebody's turn begins.
      const silent = s.places.findIndex(p => p !== null && p.turn < 0 && p.quiet >= rule.idle);
      if (silent >= 0) s.places[silent] = null;
      return silent >= 0 ? "forgets a silent one" : "BUSY";
    }
    place = { client: f.client, mark: f.number - 1, done: [], quiet: 0, turn: -1 };
    s.places[free] = place;
  }
  if (place.turn < 0) place.quiet = 0;
  if (f.task < 0) return "passes";
  if (place.done.includes(f.number)) return "answers from memory";
  if (f.number <= place.mark) return "EXPIRED";
  if (place.turn >= 0) {
    const final = place.turn < rule.idle || rule.yieldsLate === true;
    if (final) client.yields = add(client.yields, f.number);
    else client.busy = add(client.busy, f.number);
    return final ? "YIELD" : "BUSY in a turn";
  }
  place.done = add(place.done, f.number);
  (client.tasks[f.task] as Task).times++;
  return "does it";
}

function* nodeSteps(s: State, size: Size, rule: Rule): Generator<Step> {
  for (const f of s.frames) {
    const to = copy(s),
      does = take(to, f, rule);
    yield {
      says: `${f.first ? "" : "repeated "}${f.task < 0 ? "greeting " : ""}${f.number} of ${f.client}: ${does}`,
      state: to,
    };
  }
  for (const [i, place] of s.places.entries()) {
    if (!place) continue;
    const [oldest] = place.done;
    if (oldest !== undefined) {
      const to = copy(s),
        own = to.places[i] as Place;
      own.done = own.done.slice(1);
      own.mark = Math.max(own.mark, oldest);
      yield { says: `${oldest} of ${place.client} is pushed out`, state: to };
    }
    const wanted = size.crowd || s.clients.some((c, n) => c.next > 1 && !s.places.some(p => p?.client === n)),
      full = size.crowd || !s.places.includes(null);
    if (place.turn < 0 && wanted && full && !s.places.some(p => p !== null && p.turn >= 0)) {
      const to = copy(s);
      (to.places[i] as Place).turn = 0;
      yield { says: `the turn of ${place.client} begins`, state: to };
    }
    const ends = place.turn >= rule.parts * rule.idle,
      silent = size.crowd && place.turn < 0 && place.quiet >= rule.idle;
    if (ends || silent) {
      const to = copy(s);
      to.places[i] = null;
      yield { says: `${place.client} is forgotten`, state: to };
    }
    if (rule.letsOff === true && place.turn >= 0) {
      const to = copy(s);
      (to.places[i] as Place).turn = -1;
      yield { says: `${place.client} is let off`, state: to };
    }
  }
}

function tick(s: State, size: Size, rule: Rule): Step {
  const to = copy(s),
    most = rule.parts * rule.idle;
  to.frames = to.frames.flatMap(f => (f.age < size.life ? [{ ...f, age: f.age + 1 }] : []));
  for (const p of to.places) {
    if (!p) continue;
    p.quiet = Math.min(rule.idle, p.quiet + 1);
    if (p.turn >= 0) p.turn = Math.min(most, p.turn + 1);
  }
  return { says: "-- a tick", state: to };
}

/** A state as a key: frames in any order are the same. */
function keyOf(s: State): string {
  const places = s.places.map(p => p && `${p.client}.${p.mark}.${p.done.join()}.${p.quiet}.${p.turn}`),
    clients = s.clients.map(c => {
      const tasks = c.tasks.map(t => `${t.number}.${t.times}`);
      return `${c.next}:${tasks.join()}:${c.yields.join()}:${c.busy.join()}`;
    }),
    frames = s.frames.map(f => `${f.client}.${f.number}.${f.task}.${+f.first}.${f.age}`).sort();
  return `${places.join(";")}/${clients.join(";")}/${frames.join(";")}`;
}

/** All that can happen, breadth first; ends at the first operation that is done twice. */
export function search(size: Size, rule: Rule): Found {
  const start: State = {
    places: Array.from({ length: size.places }, () => null),
    clients: Array.from({ length: size.clients }, () => ({
      next: 1,
      tasks: Array.from({ length: size.tasks }, () => ({ number: 0, times: 0 })),
      yields: [],
      busy: [],
    })),
    frames: [],
  };
  /** How each state was reached. */
  const reached = new Map<string, { readonly from: string; readonly says: string }>([
    [keyOf(start), { from: "", says: "" }],
  ]);
  const happened = new Set<string>();
  let edge: State[] = [start];
  while (edge.length > 0) {
    const next: State[] = [];
    for (const s of edge) {
      const from = keyOf(s);
      for (const { says, state } of [...clientSteps(s, size, rule), ...nodeSteps(s, size, rule), tick(s, size, rule)]) {
        const key = keyOf(state);
        if (reached.has(key)) continue;
        reached.set(key, { from, says });
        happened.add(says.replace(/\d+/g, "#"));
        if (state.clients.some(c => c.tasks.some(t => t.times > 1))) {
          const twice: string[] = [];
          for (let at = key; at !== ""; at = reached.get(at)?.from ?? "") twice.unshift(reached.get(at)?.says ?? "");
          return { states: reached.size, twice: twice.slice(1), happened };
        }
        next.push(state);
      }
    }
    edge = next;
  }
  return { states: reached.size, twice: undefined, happened };
}
