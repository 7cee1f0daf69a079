// @ts-check
import { AdapterError, adapterError } from '@ledger-ops/adapter';
import { accountOf, find, mine, read, submit } from './ledger.js';
import { decode, digestOf, encode, idOf, normalAddress } from './transaction.js';

/**
 * @import { AdapterHost, AdapterProblem, Confirmed, LedgerConfig, LedgerSession, Outcome, Phase } from '@ledger-ops/adapter'
 * @import { Transfer } from './transaction.js'
 */

/** Milliseconds between two looks at the file for a new block. */
const headInterval = 100;

/**
 * A session: it holds nothing that may be lost. Every call reads the ledger anew.
 * @param {LedgerConfig} ledger
 * @param {AdapterHost} host
 * @returns {LedgerSession}
 */
export function openSession(ledger, host) {
  const { properties, nodes } = ledger;
  const file = decodeURIComponent(new URL(nodes[0]?.uri ?? 'file:///nowhere').pathname);
  const confirmations = Number(properties.confirmations ?? 1);
  const end = new AbortController();
  const signal = AbortSignal.any([end.signal, host.signal]);

  /**
   * Runs a call; what goes wrong becomes an error of the contract.
   * @template Result
   * @param {Phase} phase
   * @param {() => Result} run
   */
  async function call(phase, run) {
    if (signal.aborted) throw adapterError('unavailable', phase, 'The session is closed.');
    try {
      return run();
    } catch (error) {
      if (error instanceof AdapterError) throw error;
      throw adapterError('unavailable', phase, 'The file of the ledger cannot be read; try again.', {
        cause: error,
      });
    }
  }

  /**
   * @param {Phase} phase
   * @param {string} what
   */
  const unsupported = (phase, what) =>
    call(phase, () => {
      throw adapterError('unsupported-operation', phase, `This ledger has no ${what}.`);
    });

  /**
   * @param {Phase} phase
   * @param {string} address
   * @param {string} pointer
   */
  function requireAddress(phase, address, pointer) {
    const normal = normalAddress(address);
    if (normal !== undefined) return normal;
    const detail = 'must be a compressed point of P-256 in hex, 66 digits';
    throw adapterError('invalid-argument', phase, `${pointer} ${detail}.`, { issues: [{ pointer, detail }] });
  }

  return {
    chain: () =>
      call('open', () => {
        const state = read(file);
        return { id: `jsonfile:${state.chain}`, genesis: state.blocks[0]?.hash ?? '' };
      }),
    createWallet: ({ publicKey }) =>
      call('wallet', () => {
        const hex = Buffer.from(publicKey).toString('hex');
        return { done: true, result: { address: requireAddress('wallet', hex, '/publicKey') } };
      }),
    advanceWallet: () => unsupported('wallet', 'second round for wallets'),

    check: ({ wallet, operation }) =>
      call('check', () => {
        if (operation.type !== 'transfer' || operation.data !== undefined) {
          throw adapterError('unsupported-operation', 'check', 'This ledger only has transfers.');
        }
        const { chain } = read(file);
        const to = requireAddress('check', operation.recipient, '/recipient/resource');
        // Quantities in content are decimal texts.
        const { from, chainId, nonce } = operation.native.content;
        if (from !== undefined && normalAddress(String(from)) !== wallet.address) {
          throw adapterError('wrong-sender', 'check', `meta names ${from}, the wallet is ${wallet.address}.`);
        }
        if (chainId !== undefined && `${chainId}` !== chain) {
          throw adapterError('wrong-chain', 'check', `meta names chain ${chainId}, the ledger is ${chain}.`);
        }
        if (operation.amount >= 1n << 256n) {
          const issues = [{ pointer: '/amount', detail: 'must be below 2^256' }];
          throw adapterError('invalid-argument', 'check', '/amount must be below 2^256.', { issues });
        }
        return {
          plan: { chain, to, amount: operation.amount.toString() },
          recipients: [to],
          readiness: 'ready',
          cost: operation.amount,
          ...(nonce === undefined ? {} : { sequence: BigInt(String(nonce)) }),
        };
      }),
    estimate: (requests) =>
      call('estimate', () => {
        const height = read(file).blocks.length - 1;
        return requests.map(({ plan, minHeight }) => {
          if (height >= minHeight) return { status: 'ready', plan, cost: BigInt(String(plan.amount)) };
          const detail = `The ledger is at ${height}, block ${minHeight} is needed.`;
          return { status: 'wait', problem: { code: 'unavailable', phase: 'estimate', detail } };
        });
      }),

    prepare: (requests) =>
      call('prepare', () =>
        requests.map(({ wallet, plan, sequence }) => {
          /** @type {Transfer} */
          const state = {
            chain: String(plan.chain),
            from: wallet.address,
            to: String(plan.to),
            amount: String(plan.amount),
            sequence: `${sequence ?? 0n}`,
          };
          const requests = [{ curve: /** @type {const} */ ('p256'), digest: digestOf(state) }];
          return {
            status: 'prepared',
            attempts: [{ kind: 'main', round: { done: false, requests, state } }],
          };
        }),
      ),
    advance: (advances) =>
      call('prepare', () =>
        advances.map(({ state, signatures: [signature = new Uint8Array()] }) => {
          // The state that `prepare` gave away comes back unchanged.
          const transfer = /** @type {Transfer} */ (state);
          const bytes = encode(transfer, signature);
          return { done: true, result: { txId: idOf(bytes), bytes, cost: BigInt(transfer.amount) } };
        }),
      ),

    submit: (submissions) =>
      call('submit', () => {
        read(file);
        const answers = submissions.map(({ txId, bytes }) => {
          const status = submit(file, bytes);
          if (status !== 'refused') return { txId, status };
          const detail =
            decode(bytes) === undefined ? 'The bytes are no signed transfer.' : 'Its sequence is taken.';
          /** @type {AdapterProblem} */
          const problem = { code: 'refused', phase: 'submit', txId, detail };
          return { txId, status, problem };
        });
        if (properties.auto_mine !== false && answers.some(({ status }) => status === 'accepted')) mine(file);
        return answers;
      }),
    confirm: ({ cursor, pending }) =>
      call('confirm', () => {
        const state = read(file);
        const deep = state.blocks.slice(0, Math.max(1, state.blocks.length - (confirmations - 1)));
        const [tip, head] = [deep.at(-1), state.blocks.at(-1)];
        if (tip === undefined || head === undefined) throw new RangeError('The ledger has no block.');
        /** @type {Outcome[]} */
        const outcomes = [];
        for (const [txId, { address, sequence }] of pending) {
          const found = find({ ...state, blocks: deep }, txId);
          const at = {
            txId,
            height: found?.block.height ?? tip.height,
            blockHash: found?.block.hash ?? tip.hash,
          };
          if (found === undefined) {
            const taken = deep.some(({ transactions }) =>
              transactions.some((one) => one.from === address && one.sequence === `${sequence}`),
            );
            if (taken) outcomes.push({ ...at, status: 'superseded' });
          } else if (found.executed.failure === undefined) {
            outcomes.push({ ...at, status: 'succeeded', fee: 0n });
          } else {
            const detail = `The transfer failed: ${found.executed.failure}.`;
            const problem = { code: /** @type {const} */ ('reverted'), detail };
            outcomes.push({
              ...at,
              status: 'failed',
              problem: { ...problem, phase: 'confirm', txId },
              fee: 0n,
            });
          }
        }
        /** @type {Confirmed} */
        const confirmed = {
          cursor: { height: tip.height, hash: tip.hash },
          head: { height: head.height, hash: head.hash },
          outcomes,
          reorganised: cursor !== null && state.blocks[cursor.height]?.hash !== cursor.hash,
        };
        return confirmed;
      }),
    onHead(listener) {
      if (signal.aborted) throw adapterError('unavailable', 'confirm', 'The session is closed.');
      let seen = '';
      const look = () => {
        try {
          const head = read(file).blocks.at(-1);
          if (head === undefined || head.hash === seen) return;
          const first = seen === '';
          seen = head.hash;
          if (!first) listener({ height: head.height, hash: head.hash });
        } catch {
          // The ledger is down: it has no new head.
        }
      };
      look();
      const timer = setInterval(look, headInterval);
      const stop = () => clearInterval(timer);
      signal.addEventListener('abort', stop, { once: true });
      return stop;
    },

    sequences: (addresses) =>
      call('check', () => {
        const state = read(file);
        return addresses.map((one) =>
          BigInt(accountOf(state, requireAddress('check', one, '/address')).sequence),
        );
      }),
    balances: (addresses) =>
      call('check', () => {
        const state = read(file);
        return addresses.map((one) =>
          BigInt(accountOf(state, requireAddress('check', one, '/address')).balance),
        );
      }),
    normaliseAddress: (address) => call('check', () => requireAddress('check', address, '/address')),
    emulate: () => unsupported('emulate', 'emulation'),
    lookup: (txId) =>
      call('lookup', () => {
        const state = read(file);
        const found = find(state, txId);
        if (found === undefined) return null;
        const { height, hash: blockHash } = found.block;
        if (state.blocks.length - height < confirmations)
          return { txId, status: 'PENDING', height, blockHash };
        const { failure } = found.executed;
        if (failure === undefined) return { txId, status: 'SUCCEEDED', height, blockHash };
        const problem = {
          code: /** @type {const} */ ('reverted'),
          detail: `The transfer failed: ${failure}.`,
        };
        return { txId, status: 'FAILED', height, blockHash, problem: { ...problem, phase: 'lookup', txId } };
      }),
    close: async () => end.abort(),
  };
}
