import { createHash, createPublicKey, ECDH, verify } from 'node:crypto';
import { type AdapterDefinition, adapterError, defineAdapter, type LedgerSession } from '@ledger-ops/adapter';

/** The ledger: a notebook in this process, one note to a block. */
export type Notebook = { txId: string; bytes: Uint8Array }[];

const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest('hex');

/** The public key behind an address, which is the compressed point in hex. Throws when it is no point. */
function keyOf(address: string) {
  const point = ECDH.convertKey(address, 'prime256v1', 'hex', undefined, 'uncompressed');
  if (typeof point === 'string') throw new TypeError('convertKey gave text');
  const x = point.subarray(1, 33).toString('base64url');
  const y = point.subarray(33).toString('base64url');
  return createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
}

/** Whether bytes are a note that its author signed. */
function isSigned(bytes: Uint8Array): boolean {
  try {
    const { note, signature } = JSON.parse(new TextDecoder().decode(bytes));
    const key = keyOf(JSON.parse(note).author);
    const form = { key, dsaEncoding: 'ieee-p1363' } as const;
    return verify('sha256', Buffer.from(note), form, Buffer.from(signature, 'hex'));
  } catch {
    return false;
  }
}

export function notebookAdapter(notebook: Notebook): AdapterDefinition {
  return defineAdapter({
    name: 'notebook',
    technology: 'notebook',
    version: '1.0.0',
    interfaceVersion: '0.1.0',
    keyType: 'p256',
    description: {
      title: 'Notebook',
      addresses: { account: { pattern: '^0[23][0-9a-f]{64}$', example: `02${'a1'.repeat(32)}` } },
    },
    capabilities: {
      operations: ['contract_call'],
      sequence: 'none',
      replacement: false,
      emulation: false,
      lookup: false,
      balance: false,
    },
    async readInterface() {
      const detail = 'A notebook has no contract interfaces.';
      throw adapterError('invalid-argument', 'interface', detail, { issues: [{ pointer: '', detail }] });
    },
    async open(_ledger, host): Promise<LedgerSession> {
      const end = new AbortController();
      const signal = AbortSignal.any([end.signal, host.signal]);
      const call = async <Result>(run: () => Result): Promise<Result> => {
        if (signal.aborted) throw adapterError('unavailable', 'open', 'The session is closed.');
        return run();
      };
      const unsupported = (what: string) => (): never => {
        throw adapterError('unsupported-operation', 'check', `A notebook has no ${what}.`);
      };
      const position = () => ({ height: notebook.length, hash: notebook.at(-1)?.txId ?? 'empty' });

      return {
        chain: () => call(() => ({ id: 'notebook:1', genesis: 'empty' })),
        createWallet: ({ publicKey }) =>
          call(() => {
            const address = Buffer.from(publicKey).toString('hex');
            try {
              keyOf(address);
            } catch (cause) {
              throw adapterError('invalid-argument', 'wallet', 'The public key is no point of P-256.', {
                cause,
              });
            }
            return { done: true, result: { address } };
          }),
        advanceWallet: () => call(unsupported('second round for wallets')),
        check: ({ wallet, operation }) =>
          call(() => {
            if (operation.type !== 'contract_call') return unsupported(operation.type)();
            const plan = { author: wallet.address, args: operation.method?.args ?? [] };
            return { plan, recipients: [], readiness: 'ready', cost: 0n };
          }),
        estimate: (requests) =>
          call(() =>
            requests.map(({ plan, minHeight }) => {
              if (minHeight <= notebook.length) return { status: 'ready', plan, cost: 0n };
              const detail = `The notebook has ${notebook.length} notes, ${minHeight} are needed.`;
              return { status: 'wait', problem: { code: 'unavailable', phase: 'estimate', detail } };
            }),
          ),
        prepare: (requests) =>
          call(() =>
            requests.map(({ actionId, plan }) => {
              const state = JSON.stringify({ actionId, ...plan });
              const digest = Uint8Array.from(createHash('sha256').update(state).digest());
              const round = { done: false as const, requests: [{ curve: 'p256' as const, digest }], state };
              return { status: 'prepared', attempts: [{ kind: 'main', round }] };
            }),
          ),
        advance: (advances) =>
          call(() =>
            advances.map(({ state, signatures: [signature = new Uint8Array()] }) => {
              const text = JSON.stringify({ note: state, signature: Buffer.from(signature).toString('hex') });
              const bytes = new TextEncoder().encode(text);
              return { done: true, result: { txId: sha256(bytes), bytes, cost: 0n } };
            }),
          ),
        submit: (submissions) =>
          call(() =>
            submissions.map(({ txId, bytes }) => {
              if (notebook.some((note) => note.txId === txId)) return { txId, status: 'known' };
              if (isSigned(bytes) && sha256(bytes) === txId) {
                notebook.push({ txId, bytes });
                return { txId, status: 'accepted' };
              }
              const detail = "The bytes are no note that bears its author's signature.";
              return { txId, status: 'refused', problem: { code: 'refused', phase: 'submit', detail } };
            }),
          ),
        confirm: ({ pending }) =>
          call(() => {
            const outcomes = notebook.flatMap(({ txId }, index) =>
              pending.has(txId)
                ? [{ txId, status: 'succeeded' as const, height: index + 1, blockHash: txId }]
                : [],
            );
            return { cursor: position(), head: position(), outcomes, reorganised: false };
          }),
        onHead: () => () => undefined,
        sequences: () => call(unsupported('sequences')),
        balances: () => call(unsupported('balances')),
        normaliseAddress: (address) => call(() => address.toLowerCase()),
        emulate: () => call(unsupported('emulation')),
        lookup: () => call(unsupported('look-up')),
        close: async () => end.abort(),
      };
    },
  });
}
