import type { Principal } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type {
  AcceptedAction,
  Actions,
  ActionView,
  IdempotencyClaim,
  LedgerHealth,
  Runtime,
  SendRequest,
  WalletRow,
} from '@ledger-ops/runtime';
import type { Store } from '@ledger-ops/store';

/** A runtime that keeps actions in memory, for tests of only HTTP. */
export interface FakeRuntime
  extends Pick<Runtime, 'actions' | 'records' | 'suspensions' | 'wallets' | 'health' | 'followed'> {
  readonly plugins: Pick<Runtime['plugins'], 'running'>;
  /** Every request that reached the runtime, in order. */
  readonly sent: { request: SendRequest; claim: IdempotencyClaim | undefined }[];
  /** Changes an action and notifies the listeners. */
  change(actionId: string, change: Partial<ActionView>): void;
  /** Sets an error, which the next send throws. */
  failWith(error: unknown): void;
  /** The health of ledgers that the runtime reports. */
  readonly said: LedgerHealth[];
  listeners(): number;
}

let counter = 0;

export function fakeRuntime(store?: Store): FakeRuntime {
  const views = new Map<string, ActionView>();
  const sent: FakeRuntime['sent'] = [];
  const listeners = new Set<(ids: readonly string[]) => void>();
  const said: LedgerHealth[] = [];
  let failure: unknown;
  const failOnce = () => {
    const error = failure;
    failure = undefined;
    if (error !== undefined) throw error;
  };
  const announce = (id: string) => {
    for (const listener of listeners) listener([id]);
  };
  const find = (id: string) => {
    const view = views.get(id);
    if (view === undefined)
      throw new Problem('not-found', 'The action does not exist or is not visible to you.');
    return view;
  };
  const actions: Actions = {
    async send(_principal: Principal, request, claim) {
      failOnce();
      counter += 1;
      const actionId = request.actionId ?? `019a0000-0000-7000-8000-${String(counter).padStart(12, '0')}`;
      const accepted: AcceptedAction = { actionId, intent: request.intent, status: 'PENDING', overrides: [] };
      if (claim !== undefined && store !== undefined) {
        await store.transaction((tx) =>
          tx.insertMany(
            'idempotency',
            ['scope', 'key', 'fingerprint', 'status', 'body', 'created_at'],
            [
              [
                claim.scope,
                claim.key,
                claim.fingerprint,
                201,
                JSON.stringify({ ...accepted, id: actionId }),
                Date.now(),
              ],
            ],
          ),
        );
      }
      sent.push({ request, claim });
      const at = Date.UTC(2026, 10, 20, 12, 30, 5);
      views.set(actionId, {
        uid: actionId,
        actionId,
        contractAddress: null,
        createdAt: at,
        updatedAt: at,
        dependencies: [...request.dependencies],
        details: null,
        intent: request.intent ?? '',
        ledgerId: null,
        locator: null,
        explorerUrl: null,
        status: 'PENDING',
        tag: request.tag,
        context: request.context ?? null,
        walletId: request.walletId,
        problem: null,
        retracted: null,
        pending: { stage: 'ready', code: 'turn', detail: 'waits for a fee' },
      });
      announce(actionId);
      return accepted;
    },
    async sendBatch() {
      failOnce();
      return [];
    },
    cancel: async (_principal, actionId) => find(actionId),
    hurry: async (_principal, actionId) => find(actionId),
    get: async (_principal, actionId) => find(actionId),
    byIds: async (_principal, ids) => ids.flatMap((id) => views.get(id) ?? []),
    byIntents: async (_principal, intents) =>
      [...views.values()].filter(({ intent }) => intents.includes(intent)),
    byRequest: async () => [...views.values()],
    async byWallet(_principal, walletId, { page, size, intent, ids }) {
      const all = [...views.values()]
        .filter((view) => view.walletId === walletId && (intent === undefined || view.intent === intent))
        .filter(({ actionId }) => ids === undefined || ids.includes(actionId))
        .toReversed();
      return { items: all.slice(page * size, (page + 1) * size), total: all.length };
    },
    async changes(_principal, { intent, wallet, after, size }) {
      const all = [...views.values()]
        .filter((view) => wallet === undefined || view.walletId === wallet)
        .filter((view) => intent === undefined || view.intent === intent)
        .filter(
          ({ updatedAt, uid }) =>
            updatedAt > after.updatedAt || (updatedAt === after.updatedAt && uid > after.uid),
        )
        .toSorted((a, b) => a.updatedAt - b.updatedAt || (a.uid < b.uid ? -1 : 1));
      const items = all.slice(0, size);
      const last = all.length > size ? items.at(-1) : undefined;
      return { items, next: last === undefined ? null : { updatedAt: last.updatedAt, uid: last.uid } };
    },
    overview: async () => ({ items: [], next: null }),
    async describe() {
      throw new Problem('not-found', 'The action does not exist or is not visible to you.');
    },
    emittedEvents: async () => ({ supported: true, events: [] }),
    summary: async () => ({ from: 0, spanMs: 60_000, spans: [], duration: null, fees: [] }),
    counts: async () => ({
      oldestPendingAt: null,
      status: { PENDING: views.size, SUCCEEDED: 0, FAILED: 0 },
      stage: { blocked: 0, ready: views.size, signed: 0 },
      pending: { turn: views.size },
      complete: true,
    }),
    emulate: async () => {
      failOnce();
      return {
        result: [1n, { bytes: Uint8Array.of(1, 2) }],
        fee: '21000',
        figures: { gas: 21_000n },
        overrides: [],
        warnings: [],
      };
    },
    markExecuted: async (_principal, actionId) => find(actionId),
    release: async (_principal, actionId) => find(actionId),
    unknownTransactions: async () => [],
    notCompared: async () => null,
    byTransaction: async (_principal, ids) => ids.map((id) => views.get(id) ?? null),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const never = async () => {
    throw new Problem('not-found', 'The wallet does not exist or is not visible to you.');
  };
  const wallets: Runtime['wallets'] = {
    create: never,
    list: async () => ({ items: [], total: 0 }),
    get: never,
    export: never,
    changePassword: never,
    setExclusive: never,
    async demand(_principal, _permission, walletId) {
      if (walletId === 'unknown') return await never();
      return walletRow(walletId);
    },
  };
  return {
    actions,
    records: { find: async () => [] },
    suspensions: {
      suspend: never,
      list: async () => ({ items: [], next: null }),
      get: never,
      ofLedgers: async () => new Map(),
      resume: never,
    },
    wallets,
    health: () => said,
    followed: () => [],
    plugins: { running: () => [] },
    said,
    sent,
    change(actionId, change) {
      const view = find(actionId);
      views.set(actionId, { ...view, updatedAt: view.updatedAt + 1, ...change });
      announce(actionId);
    },
    failWith(error) {
      failure = error;
    },
    listeners: () => listeners.size,
  };
}

function walletRow(walletId: string): WalletRow {
  return {
    uid: walletId,
    projectId: 'p',
    walletId,
    ledgerUid: 'l',
    ledgerId: 'ledger',
    chainId: 'eip155:1',
    address: '0x',
    material: null,
    aliases: null,
    renewAt: null,
    exclusive: 0,
    keyType: 'secp256k1',
    publicKey: new Uint8Array(),
    sealedSecret: new Uint8Array(),
    sealedDataKey: new Uint8Array(),
    kdf: '{}',
    keyVersion: 1,
    createdBy: 's',
    createdAt: 0,
    updatedAt: 0,
  };
}
