/** The setup that ships with the project: examples/supernic.setup.json. */

const mac = (n: number): string => `02:5c:00:00:00:${n.toString(16).padStart(2, "0")}`;

/** Two users, four kinds of chains, each way out, each kind of rule. The capture beside it shows them one by one. */
export const demoSetup = {
  mac: mac(1),
  ip: "10.20.0.1",
  number: 1,
  ports: [
    { control: true },
    { control: true },
    { control: true, peer: true },
    // Beyond the uplink are strangers: nobody there speaks to the device itself.
    { control: false },
  ],
  uplink: 3,
  stations: [
    { name: "alice", mac: mac(0x11), ip: "10.20.0.11", port: 0 },
    { name: "bob", mac: mac(0x12), ip: "10.20.0.12", port: 0 },
    { name: "web1", mac: mac(0x21), ip: "10.20.1.1", port: 1 },
    { name: "web2", mac: mac(0x22), ip: "10.20.1.2", port: 1 },
    { name: "visitor", mac: mac(0x31), ip: "10.20.2.1", port: 2 },
    { name: "router", mac: mac(0x41), ip: "192.0.2.254", port: 3 },
  ],
  peers: [{ name: "snic2", mac: mac(2), port: 2 }],
  users: [
    { name: "alice", class: 0, contexts: 96, cells: 400, key: "616c696365277320736563726574" },
    { name: "bob", class: 1, contexts: 96, cells: 400, key: "626f62277320736563726574" },
  ],
  regions: [
    { chain: "edge", tasks: ["firewall", "nat"] },
    { chain: "spread", tasks: ["delay(6,1)", "balancer"] },
    { chain: "check", tasks: ["checksum", "dummy"] },
    ["tunnel"],
  ],
  firewall: [
    { user: "alice", to: "203.0.113.66", action: "drop" },
    { user: "alice", protocol: 6, toPort: 25, action: "drop" },
    { from: "10.20.0.0/16", action: "pass" },
  ],
  nat: { address: "192.0.2.1", ports: 12 },
  tunnels: [
    {
      name: "to-site",
      number: 5,
      user: "alice",
      vxlan: { dst: mac(0x41), from: "192.0.2.1", to: "198.51.100.7", vni: 77 },
    },
    { name: "from-site", number: 6, user: "alice", opens: 78 },
    { name: "label", number: 7, user: "bob", bytes: `${mac(0x41)}${mac(1)}88b700010002`.replaceAll(":", "") },
  ],
  balancers: [{ name: "web", first: 8, user: "bob", backends: ["web1", "web2", "web1", "web2"] }],
  dags: [
    { name: "out", user: "alice", uid: "0x0401", stages: [[{ chain: "edge" }]], egress: { port: 3 } },
    { name: "in", user: "alice", uid: "0x0402", stages: [[{ chain: "edge", run: ["nat"], arg: 1 }]] },
    { name: "web", user: "bob", uid: "0x0403", stages: [[{ chain: "spread", arg: "web" }]] },
    {
      name: "both",
      user: "bob",
      uid: "0x0404",
      stages: [
        [
          { chain: "check", run: ["checksum"], arg: 1 },
          { chain: "spread", arg: "web" },
        ],
        [{ chain: "edge", run: ["firewall"], arg: 1 }],
      ],
    },
    { name: "echo", user: "alice", uid: "0x0405", stages: [[{ chain: "check", run: ["dummy"] }]], egress: "back" },
    {
      name: "wrap",
      user: "alice",
      uid: "0x0406",
      stages: [[{ chain: "tunnel", arg: "to-site" }]],
      egress: { port: 3 },
    },
    { name: "open", user: "alice", uid: "0x0407", stages: [[{ chain: "tunnel", arg: "from-site" }]], egress: "loop" },
    { name: "label", user: "bob", uid: "0x0408", stages: [[{ chain: "tunnel", arg: "label" }]], egress: { port: 3 } },
    { name: "there", user: "bob", uid: "0x0409", peer: "snic2" },
    {
      name: "tagged",
      user: "alice",
      uid: "0x040a",
      ports: [0],
      stages: [[{ chain: "check", arg: 2 }]],
      egress: { port: 1 },
      keepShim: true,
    },
    {
      name: "round",
      user: "bob",
      uid: "0x040b",
      stages: [[{ chain: "check", run: ["dummy"] }]],
      egress: "loop",
      keepShim: true,
      unordered: true,
    },
    { name: "near", user: "alice", uid: "0x040c", stages: [[{ chain: "check", run: ["dummy"] }]] },
  ],
  rules: [
    { name: "who has an address", dst: "ff:ff:ff:ff:ff:ff", etherType: "0x0806", action: "software" },
    { name: "telnet", protocol: 6, toPort: 23, action: "drop" },
    { name: "back from outside", to: "192.0.2.1", ports: [3], protocol: 17, toPort: 4789, action: { dag: "open" } },
    { name: "answers", to: "192.0.2.1", ports: [3], action: { dag: "in" } },
    { name: "web, from the tunnel", to: "10.20.1.0/24", ports: ["loop"], action: { dag: "web" } },
    { name: "the site behind the peer", to: "10.30.0.0/16", action: { peer: "snic2" } },
    { name: "LLDP", etherType: "0x88cc", action: { port: 3 } },
    { name: "time", to: "10.20.0.1", protocol: 17, toPort: 123, action: "software" },
  ],
} as const;
export const demoSetupText = (): string => `${JSON.stringify(demoSetup, undefined, 2)}\n`;
