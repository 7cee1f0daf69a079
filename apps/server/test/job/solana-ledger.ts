import { createHash, createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { expect, vi } from 'vitest';
import { createProduct, type Product } from './product.ts';

// The Solana plugin runs like a plugin of another author: registered by its URL, in its own process.
const module = fileURLToPath(new URL('../../../../packages/plugin-solana/src/index.ts', import.meta.url));

export const walletPassword = 'correct horse battery staple';
/** Lamports that keep a new account rent-exempt. */
export const least = 890_880;
const systemProgram = '11111111111111111111111111111111';
export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/** A server with the ledger `sol`. */
export interface SolanaJob {
  readonly ledger: SolanaProcess;
  readonly product: Product;
  /** Returns the response to a POST that creates something. */
  created<Body>(path: string, input: object): Promise<Body>;
  /** Creates a wallet with 100 SOL. */
  wallet(): Promise<{ walletId: string; address: string }>;
  /** Returns the lamports of an account, in final blocks. */
  balanceOf(address: string): Promise<number>;
  /** Returns the data of an account, in final blocks. */
  dataOf(address: string): Promise<Buffer>;
  /** Returns the signatures of the final transactions that involve an account. */
  signaturesOf(address: string): Promise<string[]>;
  stop(): Promise<void>;
}

const final = { commitment: 'finalized' };

export async function openSolanaJob(options: Parameters<typeof createProduct>[0] = {}): Promise<SolanaJob> {
  const ledger = await startSolanaProcess({ slotTime: 100, confirmed: 0, finalized: 2 });
  const product = createProduct(options);
  const stop = async () => {
    await product.stop();
    await ledger.stop();
  };
  let wallets = 0;

  async function created<Body>(path: string, input: object): Promise<Body> {
    const { status, body } = await product.call<Body>('POST', path, input);
    expect(status, JSON.stringify(body)).toBe(201);
    return body;
  }

  async function balanceOf(address: string): Promise<number> {
    return (await ledger.rpc<{ value: number }>('getBalance', [address, final])).value;
  }

  try {
    await product.start();
    await created('/v1/plugins', {
      ...{ name: 'Solana', projectId: 'job-project', url: `file:${module}`, tags: ['solana'] },
    });
    await created('/v1/ledgers', {
      ...{ ledgerID: 'sol', name: 'Solana', ledgerTechnology: { ledgerTechnologyID: 'solana' } },
      nodes: [{ nodeID: 'sol-node', options: { uri: ledger.url } }],
    });
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    ledger,
    product,
    created,
    balanceOf,
    stop,
    async wallet() {
      wallets += 1;
      const walletId = `sol-${wallets}`;
      const { walletAddress: address } = await created<{ walletAddress: string }>(
        '/v1/cloud-wallet/wallets',
        { walletId, ledgerId: 'sol', pluginParameters: { walletPassword } },
      );
      await ledger.rpc('requestAirdrop', [address, 100_000_000_000]);
      await vi.waitFor(async () => expect(await balanceOf(address)).toBeGreaterThan(0), 30_000);
      return { walletId, address };
    },
    async dataOf(address) {
      const options = [address, { ...final, encoding: 'base64' }];
      const { value } = await ledger.rpc<{ value: { data: [string] } | null }>('getAccountInfo', options);
      return Buffer.from(value?.data[0] ?? '', 'base64');
    },
    async signaturesOf(address) {
      const options = [address, { ...final, limit: 1_000 }];
      const found = await ledger.rpc<{ signature: string }[]>('getSignaturesForAddress', options);
      return found.map(({ signature }) => signature);
    },
  };
}

const onLedger = (resource: string) => ({ lookup_service: { type: 'ledger', value: 'solana' }, resource });
const version = '0.1.0';

/** @param nonce account whose nonce replaces the blockhash */
export function transferGlo(target: string, amount: number, nonce?: string) {
  const options = { recipient: onLedger(target), amount: String(amount) };
  const native_transaction_content = { nonceAccount: nonce };
  const meta = { ledger: { solana: { version: '1', native_transaction_content } } };
  return { version, type: 'transfer', options, ...(nonce === undefined ? {} : { meta }) };
}

/** Returns a call with a complete transaction. */
export function instructionGlo(instruction: Instruction, content: object = {}) {
  const native_transaction_content = { instructions: [instruction], ...content };
  return {
    ...{ version, type: 'contract_call' },
    options: { contract_instance: onLedger(instruction.program), method_name: 'as given' },
    meta: { ledger: { solana: { version: '1', native_transaction_content } } },
  };
}

interface Instruction {
  program: string;
  accounts?: { address: string; signer?: boolean; writable?: boolean }[];
  /** Base64. */
  data: string;
}

/** Writes a memo, which must be UTF-8. */
export function memoInstruction(text: string | Uint8Array): Instruction {
  return { program: memoProgram, data: Buffer.from(text).toString('base64') };
}

/** Creates a mint's account. The account itself does not sign the transaction. */
export function mintAccount(payer: string): { mint: string; instruction: Instruction } {
  const { account, instruction } = seededAccount(payer, { owner: tokenProgram, seed: 'mint', size: 82 });
  return { mint: account, instruction };
}

/** Creates a wallet's account with a durable nonce. */
export function nonceAccount(wallet: string, seed: string): { account: string; glo: object } {
  const { account, instruction } = seededAccount(wallet, { owner: systemProgram, seed, size: 80 });
  const initialize = {
    program: systemProgram,
    accounts: [
      { address: account, writable: true },
      { address: 'SysvarRecentB1ockHashes11111111111111111111' },
      { address: 'SysvarRent111111111111111111111111111111111' },
    ],
    data: Buffer.concat([Buffer.of(6, 0, 0, 0), fromBase58(wallet)]).toString('base64'),
  };
  return { account, glo: instructionGlo(instruction, { instructions: [instruction, initialize] }) };
}

/** Creates an account whose address is derived from the payer's. */
function seededAccount(
  payer: string,
  made: { owner: string; seed: string; size: number },
): { account: string; instruction: Instruction } {
  const [base, owner, seed] = [fromBase58(payer), fromBase58(made.owner), Buffer.from(made.seed)];
  const account = toBase58(
    createHash('sha256')
      .update(Buffer.concat([base, seed, owner]))
      .digest(),
  );
  const data = Buffer.concat([
    Buffer.from([3, 0, 0, 0]),
    base,
    numberOf(seed.length),
    seed,
    // Lamports that keep the account rent-exempt, and the account's size.
    numberOf(10_000_000),
    numberOf(made.size),
    owner,
  ]);
  const accounts = [
    { address: payer, signer: true, writable: true },
    { address: account, writable: true },
  ];
  return { account, instruction: { program: systemProgram, accounts, data: data.toString('base64') } };
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

export function toBase58(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 58n) text = `${letters[Number(rest % 58n)]}${text}`;
  return '1'.repeat(bytes.findIndex((byte) => byte !== 0)) + text;
}

/** Decodes a string of 32 bytes. */
function fromBase58(text: string): Buffer {
  let value = 0n;
  for (const letter of text) value = value * 58n + BigInt(letters.indexOf(letter));
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
}

/**
 * Returns a signed transfer in base64, made without the server, with the key of an exported wallet.
 *
 * @param pair private and public key, 64 bytes
 */
export function signedTransfer(pair: Uint8Array, to: string, lamports: number, blockhash: string): string {
  const from = pair.slice(32);
  const data = Buffer.concat([Buffer.from([2, 0, 0, 0]), numberOf(lamports)]);
  const accounts = [Buffer.from(from), fromBase58(to), fromBase58(systemProgram)];
  return signedMessage(
    pair,
    Buffer.concat([
      // One signer, and one read-only account: the program.
      Buffer.from([1, 0, 1, accounts.length]),
      ...accounts,
      fromBase58(blockhash),
      Buffer.from([1, 2, 2, 0, 1, data.length]),
      data,
    ]),
  );
}

/** Returns the public key of an Ed25519 seed. */
export function publicKeyOf(seed: Uint8Array): Buffer {
  const head = Buffer.from('302e020100300506032b657004220420', 'hex');
  const key = createPrivateKey({ key: Buffer.concat([head, seed]), format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
}

/** Returns a signed transaction in base64 that only uses the nonce of an account. Made like `signedTransfer`. */
export function signedNonceUse(pair: Uint8Array, account: string, nonce: string): string {
  const sysvar = 'SysvarRecentB1ockHashes11111111111111111111';
  const accounts = [Buffer.from(pair.slice(32)), ...[account, sysvar, systemProgram].map(fromBase58)];
  return signedMessage(
    pair,
    Buffer.concat([
      // One signer, and two read-only accounts.
      Buffer.from([1, 0, 2, accounts.length]),
      ...accounts,
      fromBase58(nonce),
      // One instruction: the program, three accounts, four bytes.
      Buffer.from([1, 3, 3, 1, 2, 0, 4, 4, 0, 0, 0]),
    ]),
  );
}

function signedMessage(pair: Uint8Array, message: Buffer): string {
  const [secret, from] = [pair.slice(0, 32), pair.slice(32)];
  const key = createPrivateKey({
    ...{ format: 'jwk' },
    key: {
      ...{ kty: 'OKP', crv: 'Ed25519', d: Buffer.from(secret).toString('base64url') },
      x: Buffer.from(from).toString('base64url'),
    },
  });
  return Buffer.concat([Buffer.from([1]), sign(null, message, key), message]).toString('base64');
}

/** Returns an address whose key nobody has. */
export function freshAddress(): string {
  return toBase58(Buffer.concat([Uint8Array.of(1), randomBytes(31)]));
}
