import { epochModel as m } from "./designs/supernic/model/index.ts";
const sizes = { epoch: 20000, drfTime: 3000, reprogramTime: 5e6, monitorPeriod: 10e6, regions: 3, chains: [["NT1","NT2"],["NT3","NT4"]], taskBytes: {NT1: 10e3*10, NT2: 1e5, NT3: 7e4, NT4: 1e5}, laneBytes: 320000, floor: 0 };
const ep = (l: number[]) => new m.Endpoint({ loads: l, each: 1 });
const N=31000;
const users = [
 { name: "first", weight: 1, parts: {NT1: .75, NT2: 1, NT3: .5, NT4: .25}, endpoint: ep(Array(N).fill(8e4)) },
 { name: "second", weight: 1, parts: {NT2: .5, NT4: 1}, endpoint: ep([4e4, ...Array(N).fill(8e4)]) },
];
const p = new m.ManagedPlacement(sizes, { first: [1,1] });
const d = new m.EpochDevice(sizes, users, p);
const t = performance.now();const c0=process.cpuUsage();
let last = "";
for (let i = 0; i < 30000; i++) { const s = await d.step(); const l = JSON.stringify([s.sent.map(x=>+(x/1e4).toFixed(3)), s.instances, s.occupied, s.reprogramming]); if (l !== last) console.log(s.epoch, l); last = l; }
console.log(process.cpuUsage(c0).user/1000, performance.now()-t, p.counted, p.scaled);
