import { join } from 'node:path';
import { type Anvil, type AnvilOptions, type RpcProxy, startAnvil, startProxy } from '@ledger-ops/devnet';
import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { openFolder } from '../../../../testing/folder.ts';
import { createLog } from '../../src/logging/logger.ts';
import { type RunningServer, startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { type Api, openApi } from '../stage/api.ts';
import { BlockClock } from '../stage/block-clock.ts';
import { addCaller, type TestCaller } from '../stage/harness.ts';

const password = 'correct horse battery staple';
export const other = '0x000000000000000000000000000000000000bEEF';
export const ether = 10n ** 18n;
export const gwei = 10n ** 9n;
export const quantity = (value: bigint) => `0x${value.toString(16)}`;

/**
 * Intervals for late transactions. They are a fifth of the server's defaults, because blocks arrive five
 * times per second.
 */
const timing = {
  tick: 200,
  idleConfirm: 1_000,
  resend: 600,
  lookForGaps: 2_000,
  patience: 2_000,
  idlePatience: 6_000,
  slowPatience: 24_000,
  replaceAgain: 400,
  changeAgain: 400,
};

/**
 * A chain, a ledger that has only the chain's nodes, and a wallet with ten ether. The chain ends with its
 * test.
 */
export interface Scene extends AsyncDisposable {
  node: Anvil;
  /** The proxy in front of the node. */
  front: RpcProxy;
  address: string;
  walletId: string;
  clock: BlockClock;
  /** Another wallet of the same ledger, with the same balance. */
  neighbour(): Promise<Scene>;
  /** Sends a transfer. */
  send(options?: object, content?: object): Promise<string>;
  /** Sends a deployment of creation code, `0x` hex. */
  deploy(code: string, content?: object): Promise<string>;
}

interface Action {
  status: string;
  locator?: string;
  pending?: unknown;
}

/** Additional options of a scene's ledger and chain. */
export interface SceneOptions {
  properties?: Record<string, string | boolean>;
  /** Addresses of additional nodes of the ledger. */
  more?: (node: Anvil) => string[];
  anvil?: AnvilOptions;
}

/** Returns native content as the member `meta` of a GLO. */
function metaOf(content: object | undefined): object {
  if (content === undefined) return {};
  return { meta: { ledger: { ethereum: { version: '0.1.0', native_transaction_content: content } } } };
}

/** A server over HTTP with default ledger properties, shared by a file's tests, and scenes on it. */
export function useJamStage() {
  let folder: Awaited<ReturnType<typeof openFolder>>;
  let server: RunningServer;
  let caller: TestCaller;
  let api: Api;
  let scenes = 0;
  let templates = 0;
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    folder = await openFolder();
    const config = readConfig({
      PORT: '0',
      BASE_URL: 'https://ledger.test',
      DATA_DIR: folder.path,
      MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
      OUTBOUND_OPEN: '127.0.0.1',
      LOG_LEVEL: 'silent',
    });
    server = await startServer({ config, log: createLog('silent'), adapters: [ethereumAdapter], timing });
    const [administrator] = await server.store.read.all<{ service_id: string }>(
      'SELECT service_id FROM service_account',
    );
    caller = await addCaller(server.store, server.auth, administrator?.service_id ?? '', 'one');
    api = openApi(server.url, caller.headers);
  });
  afterAll(async () => {
    await server?.close();
    for (const close of closing) await close();
    await folder?.remove();
  });

  async function setUp({ properties = {}, more = () => [], anvil = {} }: SceneOptions = {}): Promise<Scene> {
    scenes += 1;
    const name = `scene-${scenes}`;
    const node = await startAnvil({ mining: 'manual', chainId: 40_000 + scenes, ...anvil });
    const clock = new BlockClock(node);
    const front = await startProxy(node.url);
    closing.push(
      () => clock.hold(),
      () => front.close(),
      () => node.stop(),
    );
    await server.store.transaction((tx) =>
      server.registry.createLedger(tx, {
        ...{ ledgerId: name, name, technology: 'ethereum', properties },
        ...{ projectUid: caller.principal.projectUid, parentResourceUid: caller.principal.projectUid },
        nodes: [front.url, ...more(node)].map((uri) => ({ uri })),
      }),
    );
    return openWallet(name, name, { node, front, clock });
  }

  async function openWallet(
    ledgerId: string,
    walletId: string,
    { node, front, clock }: Pick<Scene, 'node' | 'front' | 'clock'>,
  ): Promise<Scene> {
    // Not exclusive, because tests also send transactions of its account directly.
    const wallet = { walletId, ledgerId, exclusive: false, pluginParameters: { walletPassword: password } };
    const { walletAddress = '' } = await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', wallet);
    await node.rpc('anvil_setBalance', [walletAddress, quantity(10n * ether)]);
    let neighbours = 0;
    return {
      ...{ node, front, clock, walletId, address: walletAddress },
      // Stops mining. Otherwise the server would keep reading blocks that no test waits for.
      [Symbol.asyncDispose]: () => clock.hold(),
      neighbour() {
        neighbours += 1;
        return openWallet(ledgerId, `${walletId}-${neighbours}`, { node, front, clock });
      },
      send: (options = {}, content) => {
        const recipient = { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: other };
        return send(walletId, 'transfer', { recipient, amount: '1', ...options }, content);
      },
      async deploy(code, content) {
        templates += 1;
        const contractTemplateID = `template-${templates}`;
        const path = '/v1/smart-contracts/templates';
        await api.expect(201, 'POST', path, { contractTemplateID, name: contractTemplateID });
        await api.expect(201, 'POST', `${path}/${contractTemplateID}/specifications`, {
          ...{ tag: '1', compilationSpecification: { abi: [], bytecode: code } },
        });
        const lookup_service = { type: 'service', value: 'service' };
        const contract_source = { lookup_service, resource: `${contractTemplateID}:1` };
        return send(walletId, 'contract_deploy', { contract_source, args: [] }, content);
      },
    };
  }

  async function send(
    walletId: string,
    type: string,
    options: object,
    content: object | undefined,
  ): Promise<string> {
    const glo = { version: '0.1.0', type, options, ...metaOf(content) };
    const body = { walletId, walletPassword: password, glo };
    return (await api.expect(201, 'POST', '/v1/ledger-ops/send', body)).actionId ?? '';
  }

  /**
   * Restarts the chain under other rules. A new node has the former node's blocks, accounts and address, and
   * an empty pool. The scene's chain needs a state file.
   */
  async function fork({ node, front, clock }: Scene, anvil: AnvilOptions): Promise<Anvil> {
    await clock.hold();
    await node.stop();
    const next = await startAnvil({ mining: 'manual', chainId: node.chainId, ...anvil });
    const nextClock = new BlockClock(next);
    closing.push(
      () => nextClock.hold(),
      () => next.stop(),
    );
    front.retarget(next.url);
    return next;
  }

  const actionOf = (actionId: string) =>
    api.expect<Action>(200, 'GET', `/v1/ledger-ops/search/actions/${actionId}`);

  const cancel = (actionId: string) => api.expect(202, 'POST', `/v1/ledger-ops/actions/${actionId}/cancel`);

  async function ended(actionId: string): Promise<Action> {
    return vi.waitFor(
      async () => {
        const action = await actionOf(actionId);
        expect(action.status, JSON.stringify(action.pending)).not.toBe('PENDING');
        return action;
      },
      { timeout: 100_000, interval: 400 },
    );
  }

  /** Waits until the action's pending reason matches. */
  async function told(actionId: string, words: RegExp): Promise<string> {
    return vi.waitFor(
      async () => {
        const action = await actionOf(actionId);
        const said = JSON.stringify(action.pending ?? action);
        expect(said).toMatch(words);
        return said;
      },
      { timeout: 60_000, interval: 400 },
    );
  }

  /** Checks that the wallet's next transaction succeeds. */
  async function goesOn(scene: Scene): Promise<void> {
    expect(await ended(await scene.send())).toMatchObject({ status: 'SUCCEEDED' });
  }

  return { setUp, fork, cancel, ended, told, goesOn, stateFile: (name: string) => join(folder.path, name) };
}

/** Waits until the node has a pooled transaction of the account. */
export async function inPool({ node, address }: Scene): Promise<void> {
  await vi.waitFor(
    async () => {
      const content = await node.rpc<{ pending: Record<string, object> }>('txpool_content');
      expect(Object.keys(content.pending).map((one) => one.toLowerCase())).toContain(address.toLowerCase());
    },
    { timeout: 30_000, interval: 50 },
  );
}

/** Matches an action that was given up for this reason. */
export function dropped(why: RegExp) {
  const problem = { type: 'urn:ledger-ops:problem:dropped', detail: expect.stringMatching(why) };
  return { status: 'FAILED', problem };
}

/** Waits for this many blocks. */
export async function blocksPass({ node }: Scene, count: number): Promise<void> {
  const height = async () => Number(await node.rpc<string>('eth_blockNumber'));
  const from = await height();
  await vi.waitFor(async () => expect(await height()).toBeGreaterThanOrEqual(from + count), {
    ...{ timeout: 60_000, interval: 200 },
  });
}
