// One tenant runs all attacks at the same time, while another tenant sends transfers. Prints the acceptance times of the other
// tenant, and the server's memory before, during and after the attacks.
//   npm run bench:abuse [-- --seconds 60 --attacks pipelining,storage]
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startAnvil } from '@ledger-ops/devnet';
import { addTenant, type Tenant } from '../../apps/server/test/stage/tenant.ts';
import { tally, UrlPlugin } from '../../apps/server/test/stage/url-plugin.ts';
import { startDeployedServer } from '../deployed-server.ts';
import { type Attack, attacks, missingProof } from './attacks.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    attacks: { type: 'string', default: Object.keys(attacks).join(',') },
  },
});
/**
 * Limits: acceptance time of the other tenant in ms, and memory at the peak and 30 s after the attacks, as multiples of
 * the idle memory.
 */
const limits = { p99: 300, peak: 2, after: 1.5 };
const password = 'a bench of abuse';
const transfer = {
  walletId: 'sender',
  walletPassword: password,
  glo: {
    version: '0.1.0',
    type: 'transfer',
    options: {
      recipient: { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: `0x${'a'.repeat(40)}` },
      amount: '1',
    },
  },
};
const selected = selectedAttacks();
const anvil = await startAnvil({ blockTime: 1 });
const plugin = await new UrlPlugin({ about: slowToMatch() }).start();
const server = await startDeployedServer({ environment: { PLUGINS_ALLOWED: plugin.url } });
let memoryPeak = 0;
const watch = setInterval(() => {
  memoryPeak = Math.max(memoryPeak, server.memory());
}, 200);
try {
  const victim = await addTenant(server.url, server.credentials, 'victim');
  const attacker = await addTenant(server.url, server.credentials, 'attacker');
  await addSender(victim);
  await sendFor(5);
  const idleMb = server.memory();
  const quiet = await sendFor(15);
  memoryPeak = 0;
  const attack = runAttacks(attacker, Number(values.seconds));
  const abused = await sendFor(Number(values.seconds));
  const counts = await attack;
  console.log(`attacks        ${JSON.stringify(counts)}`);
  const peakMb = memoryPeak;
  const after = await sendFor(30);
  const afterMb = server.memory();
  for (const [name, figures] of Object.entries({ quiet, abused, after }))
    console.log(
      `${name.padEnd(14)} p50 ${figures.p50.toFixed(1)} ms, p99 ${figures.p99.toFixed(1)} ms, slowest ${figures.slowest.toFixed(0)} ms, ${figures.count} accepted, ${figures.refused} refused`,
    );
  console.log(
    `memory         ${idleMb.toFixed(0)} MB idle, ${peakMb.toFixed(0)} MB peak, ${afterMb.toFixed(0)} MB after 30 s`,
  );
  console.log(
    JSON.stringify({
      p99QuietMs: round(quiet.p99),
      p99AbusedMs: round(abused.p99),
      refused: abused.refused,
      idleMb: round(idleMb),
      peakOfIdle: round(peakMb / idleMb),
      afterOfIdle: round(afterMb / idleMb),
    }),
  );
  const isTooLarge = peakMb > limits.peak * idleMb || afterMb > limits.after * idleMb;
  if (abused.p99 > limits.p99 || abused.refused > 0 || isTooLarge) {
    console.error(
      `The server exceeded a limit. Allowed: p99 of at most ${limits.p99} ms, no rejections, peak memory of at most ${limits.peak} times the idle memory, and ${limits.after} times after 30 s.`,
    );
    process.exitCode = 1;
  }
  for (const [name, attack] of selected) {
    for (const missing of missingProof(attack, counts[name] ?? {})) {
      console.error(`The attack "${name}" did not reach its target: ${missing}.`);
      process.exitCode = 1;
    }
  }

  /** Sends ten transfers per second, without waiting for earlier responses. */
  async function sendFor(seconds: number) {
    const latencies: number[] = [];
    let refused = 0;
    const sends: Promise<void>[] = [];
    const send = async () => {
      const start = performance.now();
      const { status, text } = await victim.api
        .call('POST', '/v1/ledger-ops/send', transfer)
        .catch((error: unknown) => ({ status: 0, text: String(error) }));
      latencies.push(performance.now() - start);
      if (status === 201) return;
      refused += 1;
      console.error(`refused: ${status} ${text.slice(0, 200)}`);
    };
    for (let nth = 0; nth < seconds * 10; nth += 1) {
      sends.push(send());
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await Promise.all(sends);
    latencies.sort((a, b) => a - b);
    const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
    return { p50: at(0.5), p99: at(0.99), slowest: latencies.at(-1) ?? 0, count: latencies.length, refused };
  }
} finally {
  clearInterval(watch);
  await server.stop();
  await plugin.close();
  await anvil.stop();
}

async function addSender({ api }: Tenant): Promise<void> {
  await api.expect(201, 'POST', '/v1/admin/ledgers', {
    ledgerId: 'chain',
    name: 'chain',
    technology: 'ethereum',
    properties: { chain_id: 31_337, development: true },
    nodes: [{ name: 'anvil', uri: anvil.url }],
  });
  const [account] = anvil.accounts;
  await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
    walletId: 'sender',
    ledgerId: 'chain',
    pluginParameters: { walletPassword: password, privateKey: account?.privateKey },
  });
}

function selectedAttacks(): [string, Attack][] {
  return values.attacks.split(',').map((name) => {
    const attack = attacks[name];
    if (attack === undefined) {
      throw new RangeError(`There is no attack "${name}". Choose from: ${Object.keys(attacks).join(', ')}.`);
    }
    return [name, attack];
  });
}

/** Members of a plugin's description. Its schema of transfers matches one string against 20 slow patterns. */
function slowToMatch() {
  const anyOf = Array.from({ length: 20 }, (_, at) => ({
    type: 'string',
    pattern: `^(?:[ab]*a[ab]{50}c|\\Bd${at})$`,
  }));
  const schema = { type: 'object', properties: { memo: { anyOf } }, additionalProperties: false };
  return { description: { ...tally.description, content: { schema } } };
}

/** Runs the attacks in a separate process. Returns how often each outcome of each attack occurred. */
async function runAttacks(tenant: Tenant, seconds: number): Promise<Record<string, Record<string, number>>> {
  const { headers, organizationId, projectId } = tenant;
  const child = spawn(process.execPath, [fileURLToPath(new URL('attacker.ts', import.meta.url))], {
    env: {
      PATH: process.env.PATH,
      ATTACK: JSON.stringify({
        url: server.url,
        headers,
        organizationId,
        projectId,
        pluginUrl: plugin.url,
        seconds,
        names: selected.map(([name]) => name),
      }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (part: Buffer) => {
    text += part;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(text);
}

function round(value: number): number {
  return Number(value.toFixed(2));
}
