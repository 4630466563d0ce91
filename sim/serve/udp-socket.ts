import { createSocket, type Socket, type SocketOptions } from "node:dgram";
import { ServeError } from "./errors.ts";

/**
 * Bytes asked of the system for each socket's receive buffer: bursts of a client wait there while the simulation works.
 */
const RECEIVE_BUFFER = 4 << 20;

/**
 * Addresses here are numbers already. Without this each datagram waits for a look-up of its address, and leaves only
 * when the simulation next pauses.
 */
const asItStands: SocketOptions["lookup"] = (address, _options, done) => {
  done(null, address, 4);
};

/** A free UDP port of an address. @throws ServeError */
export async function freeUdpPort(address: string): Promise<number> {
  const socket = await openUdp(address, 0, { port: "" });
  const { port } = socket.address();
  await new Promise<void>(resolve => {
    socket.close(resolve);
  });
  return port;
}

/** What to do when a socket is not to be had, for the error's sentence. */
export interface SocketRemedies {
  /** The port is taken, or not allowed. */
  readonly port: string;
  /** The address is no address of this machine; as it stands for an address that is a setting. */
  readonly address?: string;
}

/** Opens a UDP socket of this machine for itself alone. @throws ServeError */
export async function openUdp(address: string, port: number, remedies: SocketRemedies): Promise<Socket> {
  const socket = createSocket({ type: "udp4", recvBufferSize: RECEIVE_BUFFER, lookup: asItStands });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.bind({ port, address, exclusive: true }, () => {
        socket.off("error", reject);
        resolve();
      });
    });
  } catch (e) {
    socket.close();
    throw new ServeError(sentence((e as NodeJS.ErrnoException).code ?? String(e), address, port, remedies));
  }
  return socket;
}

const ofSetting = "give one that is with --set ip=..., such as 127.0.0.1, or use --tap";

function sentence(code: string, at: string, port: number, o: SocketRemedies): string {
  const { port: remedy, address: elsewhere = ofSetting } = o;
  switch (code) {
    case "EADDRINUSE":
      return `UDP port ${port} of ${at} is taken by another program; ${remedy}`;
    case "EADDRNOTAVAIL":
      return `ip = ${at} is no address of this machine; ${elsewhere}`;
    case "EACCES":
      return `there is no right to open UDP port ${port} (below 1024 root is needed); ${remedy}`;
    default:
      return `UDP port ${port} of ${at} cannot be opened (${code}); ${remedy}`;
  }
}
