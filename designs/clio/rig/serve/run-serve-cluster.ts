import type { Settings } from "../../config/index.ts";
import type { MigrationReport } from "../../software/index.ts";
import { formatIpv4 } from "../../../shared/wire/index.ts";
import { serveCluster } from "./serve-cluster.ts";
import { designOf, type Network } from "../../../../sim/index.ts";
import { exitCode, type ExitCode, type Terminal } from "../../../shared/command-line/index.ts";
import { clioNode } from "../../build/index.ts";
import { clusterPlaceOf } from "./cluster-place.ts";
import { interrupted } from "../../../shared/rig/index.ts";
import type { ServeOptions } from "./options.ts";
import { printServed } from "./totals.ts";

/**
 * `mnemo serve clio --nodes N`: cycle-accurate nodes behind sockets and the global controller that makes one memory of
 * them (paper §4.4.7), until SIGINT or SIGTERM. Every region that moves is reported on a line.
 * @returns 0
 * @throws as `runServe`
 */
export async function runServeCluster(options: ServeOptions, terminal: Terminal): Promise<ExitCode> {
  const { nodes, controller, open } = clusterPlaceOf(options),
    networks = await open();
  terminal.stage("building the model ...");
  for (const { config } of nodes) designOf(clioNode(config));
  const { stop, forget } = interrupted();
  try {
    const served = await serveCluster(
      nodes.map((settings, i) => ({ settings, network: networks[i] as Network })),
      { ...controller, network: networks.at(-1) as Network },
      {
        stop,
        ready: () => {
          terminal.print(
            `serving ${nodes.length} nodes on ${networks
              .slice(0, -1)
              .map(n => n.place)
              .join("; ")}; global controller ${formatIpv4(controller.own.ip)} port ${
              controller.nativePort
            }, monitor ${controller.monitorPort}. Ctrl-C ends.`,
          );
        },
        report: (node, m) => terminal.print(migrationLine(node, m)),
      },
    );
    for (const [i, node] of nodes.entries()) {
      printServed(served.nodes[i], terminal, `${formatIpv4(node.runtime.ip)} `);
    }
    const moved = served.migrations.filter(m => m.result === 0).length;
    terminal.print(
      `controller: ${served.controllerFrames} frames in, ${moved} of ${served.migrations.length} migrations done`,
    );
  } finally {
    forget();
    await Promise.all(networks.map(n => n.close()));
  }
  return exitCode.done;
}

function migrationLine({ runtime }: Settings, { name, mode, result, pages, bytes, totalNs }: MigrationReport): string {
  const how = mode === "pageByPage" ? "page by page" : "stop-all";
  return `region ${name.region} of process ${name.pid} ${result === 0 ? "has left" : `stays at (${result})`} ${formatIpv4(runtime.ip)}, ${how}: ${pages} pages, ${
    bytes
  } bytes copied in ${(totalNs / 1e9).toFixed(2)} s`;
}
