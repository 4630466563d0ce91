/** Ends of links: `snic0:2`, or the name alone where a place has one port. */
import { UsageError } from "../../shared/errors/index.ts";
import type { Plug, RackLink } from "./rack.ts";
import type { LinkFile } from "./schema.ts";
import type { Vertex } from "./topology.ts";

/** A place with its ports. */
export interface Socket extends Vertex {
  /** Where it stands in the file. */
  readonly at: string;
  readonly ports: number;
}

function plugOf(text: string, at: string, sockets: readonly Socket[]): Plug {
  const [place = "", port, more] = text.split(":"),
    socket = sockets.find(s => s.name === place);
  if (socket === undefined)
    throw new UsageError(`${at} = "${text}": there is no such place; there are ${sockets.map(s => s.name).join(", ")}`);
  const { ports } = socket;
  if (port === undefined && ports > 1)
    throw new UsageError(`${at} = "${text}": ${place} has ports 0 to ${ports - 1}; name one, as ${place}:0`);
  const n = port === undefined ? 0 : /^\d{1,2}$/.test(port) ? Number(port) : Number.NaN;
  if (more !== undefined || !(n < ports))
    throw new UsageError(
      `${at} = "${text}": ${ports === 1 ? `${place} has one port; leave the number out` : `${place} has ports 0 to ${ports - 1}; name one of these`}`,
    );
  return { place, port: n };
}

/** The links with their ends resolved. @throws UsageError in one sentence for an end that cannot be, or is taken */
export function plugs(links: readonly LinkFile[], sockets: readonly Socket[], path: string): readonly RackLink[] {
  const taken = new Map<string, string>();
  const made = links.map(({ between, ...rest }, i): RackLink => {
    const ends = between.map((text, k) => {
      const at = `links[${i}].between[${k}]`,
        plug = plugOf(text, `${path}: ${at}`, sockets),
        key = `${plug.place}:${plug.port}`,
        before = taken.get(key);
      if (before !== undefined)
        throw new UsageError(`${path}: ${at} = "${text}": ${before} is plugged in there; use another port`);
      taken.set(key, at);
      return plug;
    });
    const [a, b] = ends as [Plug, Plug];
    if (a.place === b.place)
      throw new UsageError(`${path}: links[${i}].between: both ends are at ${a.place}; give one of them another place`);
    return { between: [a, b], ...rest };
  });
  const free = sockets.find(s => !s.passes && !taken.has(`${s.name}:0`));
  if (free !== undefined) throw new UsageError(`${path}: ${free.at} = "${free.name}": no link leads there; add one`);
  return made;
}
