import { readFileSync } from 'node:fs';
import { openMemberClient } from '../src/client/member-client.ts';
import { startFabricProcess } from '../src/process.ts';
import type { FabricProfile } from '../src/profile-file.ts';

/**
 * Measures submissions by a plain client that keeps 50 calls in progress. The network runs in a separate
 * process. Prints one line of JSON.
 */
const total = Number(process.argv[2] ?? 1000);
const inFlight = Number(process.argv[3] ?? 50);
const network = await startFabricProcess();
try {
  const profile: FabricProfile = JSON.parse(readFileSync(network.profile, 'utf8'));
  const [organization] = profile.organizations;
  const [peer] = organization?.peers ?? [];
  const [user] = organization?.users ?? [];
  if (organization === undefined || peer === undefined || user === undefined)
    throw new Error('empty profile');
  const read = (file: string) => readFileSync(file, 'utf8');
  const client = openMemberClient({
    endpoint: peer.endpoint,
    hostOverride: peer.hostOverride ?? 'localhost',
    tlsCaCertificate: read(peer.tlsCaFile),
    member: { mspId: organization.mspId, certificate: read(user.certFile), privateKey: read(user.keyFile) },
  });
  const contract = client.gateway.getNetwork(profile.channel).getContract(profile.chaincode);
  const times: number[] = [];
  const run = async (count: number, tag: string) => {
    let next = 0;
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        for (let at = next++; at < count; at = next++) {
          const from = performance.now();
          await contract.submitTransaction('Trials:Put', `${tag}-${at}`, 'v');
          times.push(performance.now() - from);
        }
      }),
    );
  };
  await run(200, 'warm');
  times.length = 0;
  const cpu = process.cpuUsage();
  const before = cpuOf(network.pid);
  const from = performance.now();
  await run(total, 'run');
  const seconds = (performance.now() - from) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => Math.round(times[Math.floor(times.length * share)] ?? 0);
  // CPU time per transaction is more reliable than elapsed time on a shared machine.
  const { user: inUser, system } = process.cpuUsage(cpu);
  const clientCpuMs = round((inUser + system) / 1000 / total);
  const networkCpuMs = round((cpuOf(network.pid) - before) / total);
  console.log(
    JSON.stringify({
      clientCpuMs,
      networkCpuMs,
      perSecond: Math.round(total / seconds),
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      inFlight,
    }),
  );
  client.close();
} finally {
  await network.stop();
}

/** CPU time that a process has used, in milliseconds (Linux only; 0 elsewhere). */
function cpuOf(pid: number): number {
  if (process.platform !== 'linux') return 0;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
