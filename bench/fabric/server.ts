import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { freePort, waitFor } from '../transfers/product.ts';
import { followIntent } from './events.ts';
import { type Network, readPem } from './network.ts';
import { inParallel, type Load, type Round, type Sent } from './rounds.ts';

/** The server as a deployer runs it, with a Fabric ledger and a wallet on it. */
export interface ServerUnderTest {
  run(load: Load, tag: string): Promise<Round & { acceptances: number[] }>;
  /** Processor time that the server's process has used, in seconds (Linux; 0 elsewhere). */
  processorTime(): number;
  stop(): Promise<void>;
}

interface Api {
  headers: Record<string, string>;
  post(path: string, body: unknown): Promise<Record<string, unknown>>;
}

const [ledgerId, walletId, walletPassword] = ['fabric', 'sender', 'a bench of submits'];
const technology = 'hyperledger-fabric';

/** @param profileFolder where the server's process leaves a profile of its processor time when it ends */
export async function startServer(network: Network, profileFolder?: string): Promise<ServerUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-ops-bench-'));
  const tokens = {
    application: `app_${randomBytes(32).toString('base64url')}`,
    api: `sak_${randomBytes(32).toString('base64url')}`,
  };
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawnServer(folder, port, tokens, profileFolder);
  // Whatever ends this process ends the server.
  const end = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', end);
  const output: string[] = [];
  child.stdout?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  let pool: Pool | undefined;
  const stop = async () => {
    await pool?.destroy();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await ended;
    }
    process.off('exit', end);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const token = await waitFor(async () => {
      if (child.exitCode !== null) throw new Error(`The server ended: ${output.join('')}`);
      return fetchToken(url, tokens);
    });
    // One more connection for the events.
    pool = new Pool(url, { connections: 65 });
    const api = openApi(pool, tokens.application, token);
    await api.post('/v1/admin/ledgers', ledgerOf(network));
    await api.post('/v1/cloud-wallet/wallets', {
      walletId,
      ledgerId,
      pluginParameters: { walletPassword, ...network.user, mspId: network.own.mspId },
    });
    const server = pool;
    return {
      run: (load, tag) => run(server, api, network, load, tag),
      processorTime: () => processorTime(child),
      stop,
    };
  } catch (error) {
    await stop();
    throw new Error(`The server printed: ${output.join('').slice(-4_000)}`, { cause: error });
  }
}

/** The deployer's entry, built; from sources where this process runs from sources. */
function spawnServer(
  folder: string,
  port: number,
  tokens: { application: string; api: string },
  profileFolder: string | undefined,
): ChildProcess {
  const isSource = process.execArgv.includes('--conditions=@ledger-ops/source');
  const entry = isSource ? '../../apps/server/src/main.ts' : '../../apps/server/dist/main.js';
  const profiling = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
  return spawn(
    process.execPath,
    [...process.execArgv, ...profiling, fileURLToPath(new URL(entry, import.meta.url))],
    {
      env: {
        PATH: process.env.PATH,
        DATA_DIR: folder,
        PORT: String(port),
        MASTER_KEY: randomBytes(32).toString('hex'),
        ADMINISTRATOR_APPLICATION_TOKEN: tokens.application,
        ADMINISTRATOR_API_TOKEN: tokens.api,
        OUTBOUND_OPEN: '127.0.0.0/8',
        LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
}

/** Undefined while the server is not up. */
async function fetchToken(
  url: string,
  tokens: { application: string; api: string },
): Promise<string | undefined> {
  const response = await fetch(`${url}/v1/auth/token`, {
    method: 'POST',
    headers: { ApplicationToken: tokens.application },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'administration',
      service_account: 'administrator',
      client_secret: tokens.api,
    }),
  }).catch(() => undefined);
  if (response === undefined || response.status === 503) return undefined;
  if (!response.ok) throw new Error(`No token: ${response.status} ${await response.text()}`);
  // As the token's route answers.
  return ((await response.json()) as { access_token: string }).access_token;
}

function openApi(pool: Pool, applicationToken: string, accessToken: string): Api {
  const headers = {
    ApplicationToken: applicationToken,
    Authorization: `Bearer ${accessToken}`,
    'Content-Type': 'application/json',
    Accept: 'application/json',
  };
  return {
    headers,
    async post(path, body) {
      const response = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
      const text = await response.body.text();
      if (response.statusCode !== 201) throw new Error(`POST ${path}: ${response.statusCode} ${text}`);
      return JSON.parse(text);
    },
  };
}

function ledgerOf({ channel, organizations, own, observer }: Network) {
  const properties: Record<string, string> = {
    channel,
    msp_id: own.mspId,
    observer_certificate: observer.certificate,
    observer_private_key: observer.privateKey,
  };
  if (own.clientTls !== undefined) {
    properties.tls_client_certificate = readPem(own.clientTls.certFile);
    properties.tls_client_key = readPem(own.clientTls.keyFile);
  }
  const nodes = [own, ...organizations.filter((one) => one !== own)].flatMap(({ mspId, peers }) =>
    peers.map(({ endpoint, hostOverride, tlsCaFile }) => ({
      name: mspId,
      uri: `grpcs://${endpoint}`,
      properties: {
        msp_id: mspId,
        tls_ca_certificate: readPem(tlsCaFile),
        ...(hostOverride === undefined ? {} : { tls_server_name: hostOverride }),
      },
    })),
  );
  return { ledgerId, name: 'Fabric', technology, properties, nodes };
}

async function run(server: Pool, api: Api, network: Network, load: Load, tag: string) {
  const { channel, chaincode } = network;
  const intent = randomUUID();
  const acceptances: number[] = [];
  const sent: Sent[] = [];
  const events = await followIntent(server, api.headers, intent);
  try {
    const start = performance.now();
    await inParallel(load, async (nth) => {
      const [key, value] = [`${tag}-${nth}`, `v${nth}`];
      const { name, args } = network.write(key, value);
      const asked = performance.now();
      const { actionId } = await api.post('/v1/ledger-ops/send', {
        intent,
        walletId,
        walletPassword,
        glo: {
          version: '0.1.0',
          type: 'contract_call',
          options: {
            contract_instance: {
              lookup_service: { type: 'ledger', value: technology },
              resource: `${channel}/${chaincode}`,
            },
            method_name: name,
            args,
          },
        },
      });
      acceptances.push(performance.now() - asked);
      const { status, txId, problem } = await events.final(String(actionId));
      if (status !== 'SUCCEEDED' || txId === null) throw new Error(`${key} ${status}: ${problem?.detail}`);
      sent.push({ key, value, txId });
    });
    return { perSecond: load.actions / ((performance.now() - start) / 1_000), sent, acceptances };
  } finally {
    events.close();
  }
}

function processorTime({ pid }: ChildProcess): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  // After the name, which may hold spaces: user and system time are the 12th and 13th, in hundredths of a second.
  const text = readFileSync(file, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
