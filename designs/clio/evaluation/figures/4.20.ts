import { CheckFailed } from "../../../shared/command-line/index.ts";
import type { Definition } from "../../../shared/evaluation/index.ts";
import { withClients } from "../measure/clients.ts";
import { network } from "../measure/given.ts";
import { BackDoor } from "../measure/page-table.ts";
import { mulberry32, Random } from "../../../../hdl-dsl/index.ts";

const pid = 1,
  rowBytes = 64,
  base = 1n << 30n;
/** A row: a field of one byte that is matched, and a number of four bytes that is averaged. */
const matched = { offset: 0, bytes: 1 },
  score = { offset: 8, bytes: 4 };
const offloaded = "select and aggregate at the node",
  read = "all rows read",
  faster = "rows read / select and aggregate";

/** A table in which `percent` of the rows match, at random places, and what comes of it. */
function tableOf(
  rows: number,
  percent: number,
  random: Random,
): { readonly bytes: Uint8Array; readonly count: number; readonly sum: number } {
  const bytes = new Uint8Array(rows * rowBytes),
    view = new DataView(bytes.buffer),
    order = Array.from({ length: rows }, (_, i) => i),
    count = Math.round((rows * percent) / 100);
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const other = i + random.below(rows - i);
    [order[i], order[other]] = [order[other] as number, order[i] as number];
    bytes[(order[i] as number) * rowBytes] = 1;
  }
  for (let i = 0; i < rows; i++) {
    const value = random.below(1000);
    view.setUint32(i * rowBytes + score.offset, value, true);
    if (bytes[i * rowBytes] === 1) sum += value;
  }
  return { bytes, count, sum };
}

/** Clio-DF, by how many rows match. */
export const figure420: Definition = {
  number: "4.20",
  title: "Select, aggregate, shuffle",
  paper: [
    [
      "4.7.2",
      "With Clio, offloads at the MN do the first two steps, and the CN the last. With RDMA, the CN reads the rows and does all three.",
    ],
    ["4.7.2", "With a low select ratio, Clio moves far fewer bytes than RDMA."],
  ],
  given: network,
  sizes: [
    {
      what: "run time",
      paper: "more than 4 s (the y axis begins there); the text does not say of how many rows",
      here: "less than 1 ms, of the rows that the plot names",
    },
  ],
  notes: [
    "One thread makes two synchronous calls. The node selects the rows whose field matches, and takes the mean of another field of them. Beside it stands one call that reads all rows, which the client would then go through itself. Rows, count and sum are checked.",
    "The client's own work (the histogram; of rows that were read everything) takes no simulated time. RDMA is not modelled: the rows are read from the same node.",
  ],
  measure: async ({ seed, quick }) => {
    const rows = quick ? 512 : 8192,
      percents = quick ? [2, 100] : [1, 2, 5, 10, 25, 50, 100];
    const series = new Map<string, { x: number; y: number }[]>(),
      add = (name: string, x: number, y: number): void => {
        series.set(name, [...(series.get(name) ?? []), { x, y }]);
      };
    await withClients("select and aggregate", { seed, clients: 1, offloads: "all" }, async rig => {
      const { pageSize } = rig.node.config,
        table = new BackDoor(rig.node),
        random = new Random(seed, mulberry32),
        client = rig.clients[0] as NonNullable<(typeof rig.clients)[0]>;
      const thread = client.process(pid, rig.address).thread();
      if (rows * rowBytes > pageSize) throw new CheckFailed("the table of figure 4.20 is to fit a page");
      table.map(pid, base / BigInt(pageSize));
      for (const percent of percents) {
        const { bytes, count, sum } = tableOf(rows, percent, random),
          whole = { va: base, rows, rowBytes },
          where = { field: matched, is: "=", operand: 1n } as const;
        rig.node.ram.write(table.frameOf(0), bytes);
        const check = (good: boolean): void => {
          if (!good) throw new CheckFailed(`figure 4.20 gets other rows or another sum at ${percent} %`);
        };
        let selected = new Uint8Array();
        const select = await rig.timed(async () => {
          selected = (await thread.df.select(whole, where)) as typeof selected;
        });
        check(
          selected.length === count * rowBytes &&
            Array.from({ length: count }, (_, i) => selected[i * rowBytes]).every(b => b === 1),
        );
        const aggregate = await rig.timed(async () => {
          const got = await thread.df.aggregate(whole, where, score);
          check(got.count === BigInt(count) && got.sum === BigInt(sum));
        });
        const all = await rig.timed(async () => {
          const got = await thread.rread(base, bytes.length);
          check(got.every((b, i) => b === bytes[i]));
        });
        add(offloaded, percent, (select + aggregate) / 1000);
        add("select alone", percent, select / 1000);
        add("aggregate alone", percent, aggregate / 1000);
        add(read, percent, all / 1000);
        add(faster, percent, all / (select + aggregate));
      }
    });
    const of = (name: string): { name: string; standing: "calibrated"; points: { x: number; y: number }[] } => ({
      name,
      standing: "calibrated",
      points: series.get(name) ?? [],
    });
    const x = { label: "rows that match", unit: "%", scale: "log2", ticks: percents } as const;
    return {
      plots: [
        {
          title: `${rows} rows of ${rowBytes} bytes`,
          kind: "lines",
          x,
          y: { label: "time", unit: "µs", scale: "linear" },
          series: [offloaded, "select alone", "aggregate alone", read].map(of),
        },
        {
          title: "How many times as fast",
          kind: "lines",
          x,
          y: { label: "speed-up", unit: "times", scale: "linear" },
          series: [of(faster)],
        },
      ],
      claims: [
        [
          "where few rows match, the node's offloads are faster than reading them all",
          { kind: "within", series: faster, from: 0, to: 2, least: 1, most: 1000 },
        ],
        ["selecting takes longer the more rows match", { kind: "rising", series: "select alone", slack: 0.02 }],
        [
          "aggregating takes as long whatever matches: within 5 %",
          { kind: "flat", series: "aggregate alone", within: 0.05 },
        ],
      ],
    };
  },
};
