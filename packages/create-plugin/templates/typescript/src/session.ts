import {
  AdapterError,
  type AdapterHost,
  adapterError,
  type LedgerConfig,
  type LedgerSession,
  type Outcome,
  type Phase,
} from '@ledger-ops/adapter';
import { ledgerOf } from './ledger.ts';
import { encode, idOf, messageOf, normalAddress, type Transfer } from './transaction.ts';

/** No account can hold as much. */
const most = 1n << 128n;

/** A session: it holds nothing that may be lost. Every call reads the ledger anew. */
export function openSession({ properties }: LedgerConfig, host: AdapterHost): LedgerSession {
  const ledger = ledgerOf(String(properties.network ?? 'main'));
  const blockTime = Number(properties.block_time ?? 100);
  const end = new AbortController();
  const signal = AbortSignal.any([end.signal, host.signal]);

  /** Runs a call; whatever goes wrong becomes an error of the contract. */
  async function call<Result>(phase: Phase, run: () => Result): Promise<Result> {
    if (signal.aborted) throw adapterError('unavailable', phase, 'The session is closed.');
    try {
      return run();
    } catch (cause) {
      if (cause instanceof AdapterError) throw cause;
      throw adapterError('unavailable', phase, 'The ledger does not answer; try again.', { cause });
    }
  }

  const unsupported = (phase: Phase, what: string) =>
    call(phase, (): never => {
      throw adapterError('unsupported-operation', phase, `This ledger has no ${what}.`);
    });

  function invalid(phase: Phase, pointer: string, detail: string): AdapterError {
    return adapterError('invalid-argument', phase, `${pointer} ${detail}.`, {
      issues: [{ pointer, detail }],
    });
  }

  function requireAddress(phase: Phase, text: string, pointer: string): string {
    const address = normalAddress(text);
    if (address === undefined) throw invalid(phase, pointer, 'must be 64 hex digits');
    return address;
  }

  return {
    chain: () => call('open', () => ({ id: `acorn:${ledger.name}`, genesis: ledger.genesis.hash })),

    createWallet: ({ publicKey }) =>
      call('wallet', () => {
        const address = requireAddress('wallet', Buffer.from(publicKey).toString('hex'), '/publicKey');
        return { done: true, result: { address } };
      }),
    advanceWallet: () => unsupported('wallet', 'second round for wallets'),

    check: ({ operation }) =>
      call('check', () => {
        if (operation.type !== 'transfer' || operation.data !== undefined) {
          throw adapterError('unsupported-operation', 'check', 'This ledger only has transfers.');
        }
        const { recipient, amount, native } = operation;
        const to = requireAddress('check', recipient, '/recipient/resource');
        if (amount >= most) throw invalid('check', '/amount', 'must be below 2^128');
        // The host has held the content against the schema in the description.
        const memo = String(native.content.memo ?? '');
        const plan = { to, amount: `${amount}`, memo };
        return { plan, recipients: [to], readiness: 'ready', cost: amount };
      }),
    estimate: (requests) =>
      call('estimate', () =>
        requests.map(({ plan, minHeight }) => {
          const { height } = ledger.head;
          if (height >= minHeight) return { status: 'ready', plan, cost: BigInt(String(plan.amount)) };
          const detail = `The ledger is at ${height}, block ${minHeight} is needed.`;
          return { status: 'wait', problem: { code: 'unavailable', phase: 'estimate', detail } };
        }),
      ),

    prepare: (requests) =>
      call('prepare', () =>
        requests.map(({ actionId, wallet, plan }) => {
          const transfer: Transfer = {
            network: ledger.name,
            from: wallet.address,
            to: String(plan.to),
            amount: String(plan.amount),
            memo: String(plan.memo),
            nonce: actionId,
          };
          const request = { curve: 'ed25519' as const, message: messageOf(transfer) };
          const round = { done: false as const, requests: [request], state: transfer };
          return { status: 'prepared', attempts: [{ kind: 'main', round }] };
        }),
      ),
    advance: (advances) =>
      call('prepare', () =>
        advances.map(({ state, signatures: [signature = new Uint8Array()] }) => {
          // The state that `prepare` gave away comes back unchanged.
          const transfer = state as Transfer;
          const bytes = encode(transfer, signature);
          return { done: true, result: { txId: idOf(bytes), bytes, cost: BigInt(transfer.amount) } };
        }),
      ),

    submit: (submissions) =>
      call('submit', () =>
        submissions.map(({ txId, bytes }) => {
          const status = ledger.submit(bytes, blockTime);
          if (status !== 'refused') return { txId, status };
          const detail = 'The bytes are no transfer on this network that its sender signed.';
          return { txId, status, problem: { code: 'refused', phase: 'submit', txId, detail } };
        }),
      ),
    confirm: ({ cursor, pending }) =>
      call('confirm', () => {
        const { height, hash } = ledger.head;
        const outcomes = [...pending.keys()].flatMap((txId): Outcome[] => {
          const found = ledger.find(txId);
          if (found === undefined) return [];
          const at = { txId, height: found.block.height, blockHash: found.block.hash };
          const { failure } = found.executed;
          if (failure === undefined) return [{ ...at, status: 'succeeded' }];
          const detail = `The transfer failed: ${failure}.`;
          return [{ ...at, status: 'failed', problem: { code: 'reverted', phase: 'confirm', txId, detail } }];
        });
        const reorganised = cursor !== null && ledger.blocks[cursor.height]?.hash !== cursor.hash;
        return { cursor: { height, hash }, head: { height, hash }, outcomes, reorganised };
      }),
    onHead(listener) {
      if (signal.aborted) throw adapterError('unavailable', 'confirm', 'The session is closed.');
      const stop = ledger.onBlock(({ height, hash }) => listener({ height, hash }));
      signal.addEventListener('abort', stop, { once: true });
      return stop;
    },

    balances: (addresses) =>
      call('check', () =>
        addresses.map((address) => ledger.balanceOf(requireAddress('check', address, '/address'))),
      ),
    normaliseAddress: (address) => call('check', () => requireAddress('check', address, '/address')),
    sequences: () => unsupported('check', 'sequences'),
    emulate: () => unsupported('emulate', 'emulation'),
    lookup: () => unsupported('lookup', 'look-up'),
    close: async () => end.abort(),
  };
}
