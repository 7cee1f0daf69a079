import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { startDeployedServer } from '../deployed-server.ts';
import { followIntent } from './events.ts';
import { type Network, readPem } from './network.ts';
import { inParallel, type Load, type Round, type Sent } from './rounds.ts';

/** The server as a deployer runs it, with a Fabric ledger and a wallet. */
export interface ServerUnderTest {
  run(load: Load, tag: string): Promise<Round & { acceptances: number[] }>;
  /** Processor time used by the server's process, in seconds (Linux; 0 elsewhere). */
  processorTime(): number;
  stop(): Promise<void>;
}

interface Api {
  headers: Record<string, string>;
  post(path: string, body: unknown): Promise<Record<string, unknown>>;
}

const [ledgerId, walletId, walletPassword] = ['fabric', 'sender', 'a bench of submits'];
const technology = 'hyperledger-fabric';

/** @param profileFolder folder in which the server's process writes a CPU profile when it exits */
export async function startServer(network: Network, profileFolder?: string): Promise<ServerUnderTest> {
  const deployed = await startDeployedServer({ profileFolder });
  const { url } = deployed;
  let pool: Pool | undefined;
  const stop = async () => {
    await pool?.destroy();
    await deployed.stop();
  };
  try {
    // One more connection than requests in flight, for the event stream.
    pool = new Pool(url, { connections: 65 });
    const api = openApi(pool, deployed.administrator);
    await api.post('/v1/admin/ledgers', ledgerOf(network));
    await api.post('/v1/cloud-wallet/wallets', {
      walletId,
      ledgerId,
      pluginParameters: { walletPassword, ...network.user, mspId: network.own.mspId },
    });
    const server = pool;
    return {
      run: (load, tag) => run(server, api, network, load, tag),
      processorTime: deployed.processorTime,
      stop,
    };
  } catch (error) {
    await stop();
    throw new Error(`The server printed: ${deployed.output().slice(-4_000)}`, { cause: error });
  }
}

function openApi(pool: Pool, administrator: Record<string, string>): Api {
  const headers = {
    ...administrator,
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
      const sentAt = performance.now();
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
      acceptances.push(performance.now() - sentAt);
      const { status, txId, problem } = await events.final(String(actionId));
      if (status !== 'SUCCEEDED' || txId === null)
        throw new Error(`The action of ${key} is ${status}: ${problem?.detail}`);
      sent.push({ key, value, txId });
    });
    return { perSecond: load.actions / ((performance.now() - start) / 1_000), sent, acceptances };
  } finally {
    events.close();
  }
}
