// A Solana ledger for a run of transfers. The server accepts outcomes at `confirmed`, so forks can still remove them.
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { expect } from 'vitest';
import type { Product } from './product.ts';
import { freshAddress, least, nonceAccount, publicKeyOf, signedNonceUse, toBase58 } from './solana-ledger.ts';
import {
  confirmations,
  inGroups,
  type MinedTransfer,
  type RunLedger,
  type Theft,
  walletPassword,
} from './transfer-run.ts';

const module = fileURLToPath(new URL('../../../../packages/plugin-solana/src/index.ts', import.meta.url));
const ledgerId = 'sol';
/** Number of blocks on top of a block after which no fork can remove it. */
const finalized = 60;
/** Number of durable nonces of each wallet. */
const noncesOfWallet = 4;
const systemProgram = '1'.repeat(32);

interface Transaction {
  id: string;
  payer: string;
  /** A recipient of the run. Undefined if the transaction is not a transfer. */
  target: string | undefined;
  /** The account whose nonce it uses. Undefined if it has a blockhash. */
  account: string | undefined;
  blockhash: string;
}

interface Block {
  slot: number;
  transactions: Transaction[];
}

interface BlockAnswer {
  transactions: {
    meta: { err: unknown };
    transaction: {
      signatures: string[];
      message: {
        accountKeys: string[];
        recentBlockhash: string;
        instructions: { programIdIndex: number; accounts: number[]; data: string }[];
      };
    };
  }[];
}

interface NonceTheft {
  txId: string;
  bytes: string;
  target: string;
}

export class SolanaRunLedger implements RunLedger {
  readonly technology = 'solana';
  readonly amount = BigInt(least);
  readonly #ledger: SolanaProcess;
  readonly #hasNonces: boolean;
  readonly #pairs = new Map<string, Uint8Array>();
  /** Nonce accounts by wallet id. */
  readonly #nonces = new Map<string, string[]>();
  readonly #recipients = new Set<string>();
  /** Blocks by height, as far as the chain was read. */
  readonly #blocks: Block[] = [{ slot: 0, transactions: [] }];
  readonly #thefts: NonceTheft[] = [];
  readonly #endangered = new Set<string>();
  /** Recipients of all transactions that were ever in a block, by account and nonce. */
  readonly #targets = new Map<string, Set<string>>();
  #reading: Promise<unknown> = Promise.resolve();
  #sent = 0;

  private constructor(ledger: SolanaProcess, hasNonces: boolean) {
    this.#ledger = ledger;
    this.#hasNonces = hasNonces;
  }

  /** @param lifetime the blockhash or nonce that limits the validity of a transaction */
  static async start(lifetime: 'nonce' | 'expiry'): Promise<SolanaRunLedger> {
    const ledger = await startSolanaProcess({ slotTime: 100, confirmed: 0, finalized });
    await ledger.rpc('devnet_pause');
    return new SolanaRunLedger(ledger, lifetime === 'nonce');
  }

  async create(server: Product, wallets: number): Promise<string[]> {
    const created = async <Body>(path: string, input: object) => {
      const { status, body } = await server.call<Body>('POST', path, input);
      expect(status, JSON.stringify(body)).toBe(201);
      return body;
    };
    await created('/v1/plugins', {
      ...{ name: 'Solana', projectId: 'job-project', url: `file:${module}`, tags: ['solana'] },
    });
    const properties = { commitment: 'confirmed', confirmations, polling_interval: 50 };
    await created('/v1/ledgers', {
      ...{ ledgerID: ledgerId, name: 'Solana', ledgerTechnology: { ledgerTechnologyID: 'solana' } },
      properties: Object.entries(properties).map(([name, value]) => ({ type: { name }, value })),
      nodes: [{ nodeID: 'sol-node', options: { uri: this.#ledger.url } }],
    });
    const ids: string[] = [];
    for (let index = 0; index < wallets; index += 1) {
      const secret = randomBytes(32);
      const pair = Buffer.concat([secret, publicKeyOf(secret)]);
      const walletId = `wallet-${index}`;
      const pluginParameters = { walletPassword, privateKey: JSON.stringify([...pair]) };
      await created('/v1/cloud-wallet/wallets', { walletId, ledgerId, pluginParameters });
      const address = toBase58(pair.subarray(32));
      this.#pairs.set(address, pair);
      await this.#ledger.rpc('requestAirdrop', [address, 100_000_000_000]);
      ids.push(walletId);
      this.#nonces.set(walletId, []);
    }
    await this.mine(finalized + 1);
    if (this.#hasNonces) await this.#createNonces(server, ids);
    return ids;
  }

  recipient(): string {
    const address = freshAddress();
    this.#recipients.add(address);
    return address;
  }

  content(walletId: string): object | undefined {
    if (!this.#hasNonces) return undefined;
    const accounts = this.#nonces.get(walletId) ?? [];
    this.#sent += 1;
    return { nonceAccount: accounts[Math.floor(this.#sent / this.#nonces.size) % accounts.length] };
  }

  async height(): Promise<number> {
    return (await this.#ledger.rpc<{ height: number }>('devnet_status')).height;
  }

  async mine(blocks: number): Promise<void> {
    await this.#ledger.rpc('devnet_mine', [blocks]);
  }

  /** Returns the transfers that a fork can still remove. */
  async transfers(): Promise<MinedTransfer[]> {
    const blocks = await this.#read();
    const lowest = (await this.height()) - finalized + 2;
    return blocks.flatMap(({ transactions }, height) =>
      height < lowest
        ? []
        : transactions.flatMap(({ id, target }) => (target === undefined ? [] : { txId: id, height })),
    );
  }

  async reorganise(height: number, returns: boolean, steal: ReadonlySet<string>): Promise<void> {
    const dropped = (await this.#read()).slice(height).flatMap(({ transactions }) => transactions);
    const bytes = await inGroups(dropped, ({ id }) => this.#bytesOf(id));
    await this.#ledger.rpc('devnet_fork', [(await this.height()) - height + 1]);
    this.#blocks.length = height;
    // Their blockhash, or the nonce that an earlier transaction created, may no longer exist.
    for (const { target } of dropped) if (target !== undefined) this.#endangered.add(target);
    const victim = dropped.find(
      (one, index) =>
        steal.has(one.id) &&
        one.account !== undefined &&
        !dropped.slice(0, index).some(({ account }) => account === one.account),
    );
    if (victim !== undefined) await this.#steal(victim);
    if (returns) for (const one of bytes) await this.#submit(one);
  }

  async thefts(): Promise<Theft[]> {
    const blocks = await this.#read();
    const heights = new Map(
      blocks.flatMap(({ transactions }, height) => transactions.map(({ id }) => [id, height])),
    );
    for (const { txId, bytes } of this.#thefts) if (!heights.has(txId)) await this.#submit(bytes);
    // Only a finalized block proves that a nonce was used.
    const delay = finalized - confirmations + 1;
    return this.#thefts.map(({ txId }) => {
      const height = heights.get(txId);
      return { txId, height: height === undefined ? undefined : height + delay };
    });
  }

  async harmedBy(id: string): Promise<Set<string>> {
    return new Set(this.#thefts.filter(({ txId }) => txId === id).map(({ target }) => target));
  }

  endangered(): ReadonlySet<string> {
    return this.#endangered;
  }

  async payments(): Promise<Map<string, number>> {
    const paid = new Map<string, number>();
    for (const { target } of (await this.#read()).flatMap(({ transactions }) => transactions))
      if (target !== undefined) paid.set(target, (paid.get(target) ?? 0) + 1);
    return paid;
  }

  async sharedClaims(except: ReadonlySet<string>): Promise<string[]> {
    await this.#read();
    return [...this.#targets].flatMap(([claim, targets]) =>
      [...targets].filter((target) => !except.has(target)).length > 1 ? [claim] : [],
    );
  }

  async stop(): Promise<void> {
    await this.#ledger.stop();
  }

  async #createNonces(server: Product, ids: readonly string[]): Promise<void> {
    const addresses = [...this.#pairs.keys()];
    const actions: string[] = [];
    for (const [index, walletId] of ids.entries())
      for (let n = 0; n < noncesOfWallet; n += 1) {
        const { account, glo } = nonceAccount(addresses[index] ?? '', `nonce-${n}`);
        const sent = await server.call('POST', '/v1/ledger-ops/send', { walletId, walletPassword, glo });
        expect(sent).toMatchObject({ status: 201 });
        actions.push(String(sent.body.actionId));
        this.#nonces.get(walletId)?.push(account);
      }
    const isOver = new AbortController();
    const ended = server.ended(actions).finally(() => isOver.abort());
    while (!isOver.signal.aborted) {
      await this.mine(1);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    for (const { status } of await ended) expect(status).toBe('SUCCEEDED');
    await this.mine(finalized + 1);
  }

  /** Returns the blocks by height. Reads new blocks one after the other. */
  async #read(): Promise<readonly Block[]> {
    const mine = this.#reading.then(() => this.#readOn());
    this.#reading = mine.catch(() => undefined);
    return await mine;
  }

  async #readOn(): Promise<readonly Block[]> {
    const height = await this.height();
    if (this.#blocks.length > height) return this.#blocks;
    const last = this.#blocks.at(-1)?.slot ?? 0;
    const from = last === 0 ? await this.#ledger.rpc<number>('getFirstAvailableBlock') : last;
    const newest = await this.#ledger.rpc<number>('getSlot', [{ commitment: 'confirmed' }]);
    const slots = await this.#ledger.rpc<number[]>('getBlocks', [from, newest, { commitment: 'confirmed' }]);
    for (const slot of slots.slice(1)) {
      const options = {
        ...{ commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0, rewards: false },
      };
      const block = await this.#ledger.rpc<BlockAnswer>('getBlock', [slot, options]);
      const transactions = block.transactions.flatMap((one) =>
        one.meta.err === null ? [this.#transactionIn(one.transaction)] : [],
      );
      this.#blocks.push({ slot, transactions });
      for (const { account, blockhash, target } of transactions) {
        if (account === undefined || target === undefined) continue;
        const claim = `${account}:${blockhash}`;
        this.#targets.set(claim, (this.#targets.get(claim) ?? new Set()).add(target));
      }
    }
    return this.#blocks;
  }

  #transactionIn({
    signatures: [id = ''],
    message,
  }: BlockAnswer['transactions'][number]['transaction']): Transaction {
    const { accountKeys, recentBlockhash: blockhash, instructions } = message;
    const [first] = instructions;
    // The data of an instruction that advances a nonce is the number 4.
    const isNonce =
      accountKeys[first?.programIdIndex ?? -1] === systemProgram &&
      first?.data === toBase58(Buffer.of(4, 0, 0, 0));
    return {
      ...{ id, payer: accountKeys[0] ?? '', blockhash },
      target: accountKeys.find((key) => this.#recipients.has(key)),
      account: isNonce ? accountKeys[first?.accounts[0] ?? -1] : undefined,
    };
  }

  /** Uses the nonce of a transfer whose block was removed, with the key of its wallet. */
  async #steal({ payer, account, blockhash, target }: Transaction): Promise<void> {
    const pair = this.#pairs.get(payer);
    if (pair === undefined || account === undefined || target === undefined)
      throw new TypeError('Every transfer with a nonce is of a wallet.');
    const bytes = signedNonceUse(pair, account, blockhash);
    const txId = await this.#submit(bytes);
    if (txId !== undefined) this.#thefts.push({ txId, bytes, target });
  }

  async #bytesOf(id: string): Promise<string> {
    const options = { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 0 };
    const { transaction } = await this.#ledger.rpc<{ transaction: [string] }>('getTransaction', [
      id,
      options,
    ]);
    return transaction[0];
  }

  /** Returns undefined if the node refuses the transaction. */
  async #submit(bytes: string): Promise<string | undefined> {
    const options = { encoding: 'base64', skipPreflight: true };
    return await this.#ledger.rpc<string>('sendTransaction', [bytes, options]).catch(() => undefined);
  }
}
