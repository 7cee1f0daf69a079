import { createHash, createPublicKey, ECDH, verify } from 'node:crypto';
import { type AdapterDefinition, adapterError, defineAdapter } from '@ledger-ops/adapter';

/** The ledger: a notebook in this process, with one note per block. */
export type Notebook = { txId: string; bytes: Uint8Array }[];

const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest('hex');

/**
 * Returns the public key behind an address, which is the compressed point in hex. Throws if it is not a point
 * on the curve.
 */
function keyOf(address: string) {
  const hex = ECDH.convertKey(address, 'prime256v1', 'hex', 'hex', 'uncompressed');
  const point = Buffer.from(String(hex), 'hex');
  const x = point.subarray(1, 33).toString('base64url');
  const y = point.subarray(33).toString('base64url');
  return createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
}

/** Whether bytes are a note that its author signed. */
function isSigned(bytes: Uint8Array): boolean {
  try {
    const { note, signature } = JSON.parse(new TextDecoder().decode(bytes));
    const form = { key: keyOf(JSON.parse(note).author), dsaEncoding: 'ieee-p1363' } as const;
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
    keyType: 'p256',
    description: {
      title: 'Notebook',
      addresses: { account: { pattern: '^0[23][0-9a-f]{64}$', example: `02${'a1'.repeat(32)}` } },
    },
    capabilities: { operations: ['contract_call'] },
    open: () => {
      const head = () => ({ height: notebook.length, hash: notebook.at(-1)?.txId ?? 'empty' });
      return {
        head,
        chain: () => ({ id: 'notebook:1', genesis: 'empty' }),
        createWallet({ publicKey }) {
          const address = Buffer.from(publicKey).toString('hex');
          try {
            keyOf(address);
          } catch (cause) {
            throw adapterError('invalid-argument', 'The public key is not a point on P-256.', { cause });
          }
          return { done: true, result: { address } };
        },
        check({ wallet, operation }) {
          const args = 'method' in operation ? operation.method?.args : undefined;
          return { plan: { author: wallet.address, args: args ?? [] } };
        },
        prepare({ actionId, plan }) {
          const state = JSON.stringify({ actionId, ...plan });
          const digest = Uint8Array.from(createHash('sha256').update(state).digest());
          return { done: false, requests: [{ curve: 'p256', digest }], state };
        },
        advance({ state, signatures: [signature = new Uint8Array()] }) {
          const text = JSON.stringify({ note: state, signature: Buffer.from(signature).toString('hex') });
          const bytes = new TextEncoder().encode(text);
          return { done: true, result: { txId: sha256(bytes), bytes, cost: 0n } };
        },
        submit({ txId, bytes }) {
          if (notebook.some((note) => note.txId === txId)) return { status: 'known' };
          if (!isSigned(bytes) || sha256(bytes) !== txId) {
            throw adapterError('refused', 'The bytes are not a note signed by its author.');
          }
          notebook.push({ txId, bytes });
          return { status: 'accepted' };
        },
        confirm({ pending }) {
          const outcomes = notebook.flatMap(({ txId }, index) =>
            pending.has(txId)
              ? [{ txId, status: 'succeeded' as const, height: index + 1, blockHash: txId }]
              : [],
          );
          return { cursor: head(), outcomes };
        },
      };
    },
  });
}
